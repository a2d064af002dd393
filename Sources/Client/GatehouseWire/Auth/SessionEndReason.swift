/// Why the server ended a session (header `x-gatehouse-session-end`). Newer servers may send other values.
///
/// Only the holder of the session's tokens gets it, and never from hosted Supabase.
public struct SessionEndReason: RawRepresentable, Hashable, Sendable {
    /// The word on the wire, such as `password_changed`.
    public let rawValue: String

    /// Accepts unknown values.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension SessionEndReason: CustomStringConvertible {
    public var description: String { rawValue }
}

extension SessionEndReason {
    /// The user signed out this session on another device.
    public static let signedOut = Self(rawValue: "signed_out")
    /// The user signed out all other devices.
    public static let othersSignedOut = Self(rawValue: "others_signed_out")
    /// The user or operator signed out all devices.
    public static let signedOutEverywhere = Self(rawValue: "signed_out_everywhere")
    /// The operator signed out all users.
    public static let everybodySignedOut = Self(rawValue: "everybody_signed_out")
    /// The password was changed.
    public static let passwordChanged = Self(rawValue: "password_changed")
    /// The address was proven for the first time.
    public static let addressProven = Self(rawValue: "address_proven")
    /// The address's owner moved it to a new account.
    public static let addressClaimed = Self(rawValue: "address_claimed")
    /// The session's sign-in method was removed.
    public static let signInMethodRemoved = Self(rawValue: "sign_in_method_removed")
    /// The link of the session's sign-in method was undone.
    public static let linkUndone = Self(rawValue: "link_undone")
    /// The user stopped using the provider's sign-in for this app.
    public static let consentRevoked = Self(rawValue: "consent_revoked")
    /// The user removed the OAuth client's access. This reason and the next three are only for clients' sessions.
    public static let clientRemoved = Self(rawValue: "client_removed")
    /// The operator deleted the OAuth client.
    public static let clientDeleted = Self(rawValue: "client_deleted")
    /// The OAuth client gave its access back.
    public static let clientSignedOut = Self(rawValue: "client_signed_out")
    /// An authorization code was used twice, which indicates theft.
    public static let authorizationCodeReused = Self(rawValue: "authorization_code_reused")
    /// The user's account at the provider was deleted.
    public static let providerAccountDeleted = Self(rawValue: "provider_account_deleted")
    /// An old refresh token was used again, which indicates theft.
    public static let refreshTokenReused = Self(rawValue: "refresh_token_reused")
    /// An operator's hook ended the session.
    public static let endedByHook = Self(rawValue: "ended_by_hook")
    /// The account was deleted.
    public static let accountDeleted = Self(rawValue: "account_deleted")
    /// The session was unused for too long.
    public static let inactivity = Self(rawValue: "inactivity")
    /// The session reached its maximum age.
    public static let lifetime = Self(rawValue: "lifetime")
    /// The session that had opened this child session ended.
    public static let parentEnded = Self(rawValue: "parent_ended")
    /// The account's owner reported the device as unknown, with the link of an emailed notice.
    public static let notRecognized = Self(rawValue: "not_recognized")
    /// The user confirmed a second factor in another session.
    public static let secondFactorVerified = Self(rawValue: "second_factor_verified")
    /// The session went too long without the user's second factor.
    public static let secondFactorMissing = Self(rawValue: "second_factor_missing")
    /// The imported session had already ended.
    public static let endedAtSource = Self(rawValue: "ended_at_source")
    /// The user is banned.
    public static let banned = Self(rawValue: "banned")
}
