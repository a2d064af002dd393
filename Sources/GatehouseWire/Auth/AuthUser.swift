public import Foundation

/// A person's account as the Auth API shows it (wire contract 3.2).
///
/// Two values are equal when every member is. Members that this version does not know are dropped.
public struct AuthUser: Hashable, Sendable, Identifiable {
    /// The account's lasting identifier: the `sub` of its tokens.
    public var id: UUID
    /// Normally `authenticated`.
    public var aud: String
    /// Normally `authenticated`; nil in the made-up user that answers a sign-up of a known address.
    public var role: String?
    /// What the server says about the account, such as `provider` and `providers`; only the server writes it.
    public var appMetadata: JSONObject
    /// What the app keeps with the account; the person can change it.
    public var userMetadata: JSONObject
    /// Lower case; nil when the account has none.
    public var email: String?
    /// Digits without `+`; nil when the account has none.
    public var phone: String?
    /// The address that waits for its confirmation.
    public var newEmail: String?
    /// The number that waits for its confirmation.
    public var newPhone: String?
    /// The ways to sign in; nil when the answer did not list them, as in the list of all users.
    public var identities: [AuthUserIdentity]?
    /// Whether the account was made without address and password.
    public var isAnonymous: Bool
    /// To the microsecond.
    public var createdAt: Date
    /// To the microsecond.
    public var updatedAt: Date
    /// When other things happened.
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

/// When things happened to an account; nil for what did not.
public struct AuthUserTimes: Hashable, Sendable {
    /// By the wire's name of the member, such as `email_confirmed_at`.
    private var dates: [String: Date] = [:]

    /// Nothing has happened.
    public init() {}

    /// The address was proven, or taken as proven.
    public var emailConfirmedAt: Date? { self["email_confirmed_at"] }
    /// The number was proven.
    public var phoneConfirmedAt: Date? { self["phone_confirmed_at"] }
    /// The earlier of the two confirmations.
    public var confirmedAt: Date? { self["confirmed_at"] }
    /// The mail of the sign-up.
    public var confirmationSentAt: Date? { self["confirmation_sent_at"] }
    /// The mail for a new password, or the magic link.
    public var recoverySentAt: Date? { self["recovery_sent_at"] }
    /// The mails about the new address.
    public var emailChangeSentAt: Date? { self["email_change_sent_at"] }
    /// The message to the new number.
    public var phoneChangeSentAt: Date? { self["phone_change_sent_at"] }
    /// The code of a reauthentication.
    public var reauthenticationSentAt: Date? { self["reauthentication_sent_at"] }
    /// The invitation.
    public var invitedAt: Date? { self["invited_at"] }
    /// The last sign-in, by any method.
    public var lastSignInAt: Date? { self["last_sign_in_at"] }
    /// The account cannot sign in before this time.
    public var bannedUntil: Date? { self["banned_until"] }
    /// The account is an empty record since.
    public var deletedAt: Date? { self["deleted_at"] }

    /// One time by its name on the wire.
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
    /// Reads a user, or an object that holds one as its member `user`.
    ///
    /// - Throws: ``WireProblem`` when `id` is no UUID, or `created_at` no timestamp. Everything else has a default.
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

    /// The user in the API's own form, as a store keeps it.
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
