public import Foundation

/// A user account as returned by the Auth API ([Users](https://supabase.com/docs/guides/auth/users)).
///
/// Unknown members are dropped.
public struct AuthUser: Hashable, Sendable, Identifiable {
    /// The account's permanent id, the `sub` of its tokens.
    public var id: UUID
    /// Usually `authenticated`.
    public var aud: String
    /// Usually `authenticated`; nil in the fictitious user that answers a sign-up with a registered address.
    public var role: String?
    /// Metadata that only the server writes, such as `provider` and `providers`.
    public var appMetadata: JSONObject
    /// Metadata of the app, which the user can change.
    public var userMetadata: JSONObject
    /// In lower case; nil if the account has none.
    public var email: String?
    /// Digits without `+`; nil if the account has none.
    public var phone: String?
    /// The new address that awaits confirmation.
    public var newEmail: String?
    /// The new telephone number that awaits confirmation.
    public var newPhone: String?
    /// The sign-in methods; nil if the response omits them, as in the list of all users.
    public var identities: [AuthUserIdentity]?
    /// Whether the account was created without email address and telephone number.
    public var isAnonymous: Bool
    /// When the account was created, to the microsecond.
    public var createdAt: Date
    /// When the account was last changed, to the microsecond.
    public var updatedAt: Date
    /// The times of other events.
    public var times: AuthUserTimes

    /// For tests and previews.
    public init(
        id: UUID, aud: String = "authenticated", role: String? = "authenticated",
        appMetadata: JSONObject = [:], userMetadata: JSONObject = [:], email: String? = nil,
        phone: String? = nil, newEmail: String? = nil, newPhone: String? = nil,
        identities: [AuthUserIdentity]? = nil, isAnonymous: Bool = false, createdAt: Date, updatedAt: Date,
        times: AuthUserTimes = AuthUserTimes()
    ) {
        self.id = id
        self.aud = aud
        self.role = role
        self.appMetadata = appMetadata
        self.userMetadata = userMetadata
        self.email = email
        self.phone = phone
        self.newEmail = newEmail
        self.newPhone = newPhone
        self.identities = identities
        self.isAnonymous = isAnonymous
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.times = times
    }
}

/// The times of an account's events; nil for events that have not happened.
public struct AuthUserTimes: Hashable, Sendable {
    /// By member name, such as `email_confirmed_at`.
    private var dates: [String: Date] = [:]

    /// No events.
    public init() {}

    /// When the email address was confirmed, by the user or automatically.
    public var emailConfirmedAt: Date? { self["email_confirmed_at"] }
    /// When the telephone number was confirmed.
    public var phoneConfirmedAt: Date? { self["phone_confirmed_at"] }
    /// The earlier of both confirmations.
    public var confirmedAt: Date? { self["confirmed_at"] }
    /// When the confirmation mail of the sign-up was sent.
    public var confirmationSentAt: Date? { self["confirmation_sent_at"] }
    /// When the mail for a password reset or the magic link was sent.
    public var recoverySentAt: Date? { self["recovery_sent_at"] }
    /// When the mails about the new address were sent.
    public var emailChangeSentAt: Date? { self["email_change_sent_at"] }
    /// When the message to the new number was sent.
    public var phoneChangeSentAt: Date? { self["phone_change_sent_at"] }
    /// When the code for a reauthentication was sent.
    public var reauthenticationSentAt: Date? { self["reauthentication_sent_at"] }
    /// When the invitation was sent.
    public var invitedAt: Date? { self["invited_at"] }
    /// When the user last signed in, by any method.
    public var lastSignInAt: Date? { self["last_sign_in_at"] }
    /// Until when the user is banned.
    public var bannedUntil: Date? { self["banned_until"] }
    /// When the account was soft-deleted. Its data is erased.
    public var deletedAt: Date? { self["deleted_at"] }

    /// The time of a member, such as `invited_at`.
    public subscript(name: String) -> Date? {
        get { dates[name] }
        set { dates[name] = newValue }
    }

    private static let names = [
        "email_confirmed_at", "phone_confirmed_at", "confirmed_at", "confirmation_sent_at", "recovery_sent_at",
        "email_change_sent_at", "phone_change_sent_at", "reauthentication_sent_at", "invited_at", "last_sign_in_at",
        "banned_until", "deleted_at",
    ]

    init(_ members: WireMembers) {
        for name in Self.names { dates[name] = members.date(name) }
    }

    var json: JSONObject { JSONObject(dates.mapValues { .string($0.wire) }) }
}

extension AuthUser {
    /// Parses a user, or an object with the member `user`.
    ///
    /// - Throws: ``WireProblem`` if `id` is not a UUID or `created_at` not a timestamp. All other members have
    ///   defaults.
    public init(json: AnyJSON) throws(WireProblem) {
        var json = json
        if json["id"] == nil, let inner = json["user"], inner.objectValue != nil { json = inner }
        let members = try WireMembers(json, path: "user")
        let createdAt = try members.requiredDate("created_at")
        var identities: [AuthUserIdentity]?
        if let listed = members["identities"]?.arrayValue {
            var read: [AuthUserIdentity] = []
            for identity in listed { read.append(try AuthUserIdentity(json: identity)) }
            identities = read
        }
        self.init(
            id: try members.uuid("id"), aud: members.text("aud") ?? "authenticated", role: members.text("role"),
            appMetadata: members.object("app_metadata"), userMetadata: members.object("user_metadata"),
            email: members.text("email"), phone: members.text("phone"), newEmail: members.text("new_email"),
            newPhone: members.text("new_phone"), identities: identities, isAnonymous: members.bool("is_anonymous"),
            createdAt: createdAt, updatedAt: members.date("updated_at") ?? createdAt, times: AuthUserTimes(members))
    }

    /// The user in the API's format, for storage.
    public var json: AnyJSON {
        var members = times.json
        members["id"] = .string(id.uuidString.lowercased())
        members["aud"] = .string(aud)
        members["role"] = .string(role ?? "")
        members["app_metadata"] = .object(appMetadata)
        members["user_metadata"] = .object(userMetadata)
        members["email"] = .string(email ?? "")
        members["phone"] = .string(phone ?? "")
        members["new_email"] = newEmail.map(AnyJSON.string)
        members["new_phone"] = newPhone.map(AnyJSON.string)
        members["identities"] = identities.map { .array($0.map(\.json)) } ?? .null
        members["is_anonymous"] = .bool(isAnonymous)
        members["created_at"] = .string(createdAt.wire)
        members["updated_at"] = .string(updatedAt.wire)
        return .object(members)
    }
}
