/// Why the server ended a session: the header `x-gatehouse-session-end` of a refusal. A newer server may send others.
///
/// Only a holder of the session's own tokens learns it. Hosted Supabase does not send it.
public struct SessionEndReason: RawRepresentable, Hashable, Sendable {
    /// The word on the wire, such as `password_changed`.
    public let rawValue: String

    /// - Parameter rawValue: The word on the wire.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SessionEndReason: CustomStringConvertible {
    public var description: String { rawValue }
}

extension SessionEndReason {
    /// The user signed out of this session, on another device.
    public static let signedOut = Self(rawValue: "signed_out")
    /// The user signed out all other devices.
    public static let othersSignedOut = Self(rawValue: "others_signed_out")
    /// The user, or the operator, signed out all devices.
    public static let signedOutEverywhere = Self(rawValue: "signed_out_everywhere")
    /// The operator signed out all users.
    public static let everybodySignedOut = Self(rawValue: "everybody_signed_out")
    /// The password was changed.
    public static let passwordChanged = Self(rawValue: "password_changed")
    /// The owner of the account's address proved it for the first time.
    public static let addressProven = Self(rawValue: "address_proven")
    /// The owner of the address moved it to a new account.
    public static let addressClaimed = Self(rawValue: "address_claimed")
    /// The sign-in method that opened the session was removed.
    public static let signInMethodRemoved = Self(rawValue: "sign_in_method_removed")
    /// The link of the sign-in method that opened the session was undone.
    public static let linkUndone = Self(rawValue: "link_undone")
    /// The user stopped using the provider's sign-in for this app.
    public static let consentRevoked = Self(rawValue: "consent_revoked")
    /// The user's account at the provider was deleted.
    public static let providerAccountDeleted = Self(rawValue: "provider_account_deleted")
    /// An old refresh token was used again, which indicates theft.
    public static let refreshTokenReused = Self(rawValue: "refresh_token_reused")
    /// A hook of the operator ended the session.
    public static let endedByHook = Self(rawValue: "ended_by_hook")
    /// The account was deleted.
    public static let accountDeleted = Self(rawValue: "account_deleted")
    /// The session was not used for too long.
    public static let inactivity = Self(rawValue: "inactivity")
    /// The session reached its maximum age.
    public static let lifetime = Self(rawValue: "lifetime")
    /// The user confirmed a second factor in another session, which ends those without one.
    public static let secondFactorVerified = Self(rawValue: "second_factor_verified")
    /// The user has a second factor, and the session did without it for too long.
    public static let secondFactorMissing = Self(rawValue: "second_factor_missing")
    /// The session had ended at the server from which it was imported.
    public static let endedAtSource = Self(rawValue: "ended_at_source")
    /// The user is banned.
    public static let banned = Self(rawValue: "banned")
}
