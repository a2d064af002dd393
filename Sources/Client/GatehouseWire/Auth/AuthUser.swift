public import Foundation

/// A user account ([Users](https://supabase.com/docs/guides/auth/users)). Unknown members are dropped.
public struct AuthUser: Hashable, Sendable, Identifiable {
    /// The account's permanent id, the `sub` of its tokens.
    public var id: UUID
    /// Usually `authenticated`.
    public var aud: String
    /// Usually `authenticated`; nil in the fictitious response for a registered address.
    public var role: String?
    /// Metadata that only the server writes, such as `providers`.
    public var appMetadata: AuthJSONObject
    /// The app's metadata, which the user can change.
    public var userMetadata: AuthJSONObject
    /// In lower case.
    public var email: String?
    /// Digits without `+`.
    public var phone: String?
    /// The new address, until it is confirmed.
    public var newEmail: String?
    /// The new telephone number, until it is confirmed.
    public var newPhone: String?
    /// The sign-in methods; nil if omitted, as in lists.
    public var identities: [AuthUserIdentity]?
    /// The second factors, including unproven ones; nil if omitted.
    public var factors: [AuthFactor]?
    /// The credentials added before the address was proven, refused until restored.
    public var setAside: [AuthSetAsideCredential] = []
    /// The address that its reader moved to a new account; nil once replaced. The password still signs in with it.
    public var formerEmail: String?
    /// When ``formerEmail`` moved.
    public var formerEmailMovedAt: Date?
    /// Whether the account began without email address and telephone number.
    public var isAnonymous: Bool
    /// When the account was created, in microseconds.
    public var createdAt: Date
    /// When the account was last changed, in microseconds.
    public var updatedAt: Date
    /// The times of further events.
    public var times: AuthUserTimes

    /// For tests and previews.
    public init(
        id: UUID, aud: String = "authenticated", role: String? = "authenticated",
        appMetadata: AuthJSONObject = [:], userMetadata: AuthJSONObject = [:], email: String? = nil,
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

/// Named by its member of the User object.
package enum UserEvent: String, CaseIterable, Sendable {
    case emailConfirmed = "email_confirmed_at"
    case phoneConfirmed = "phone_confirmed_at"
    case confirmed = "confirmed_at"
    case confirmationSent = "confirmation_sent_at"
    case recoverySent = "recovery_sent_at"
    case emailChangeSent = "email_change_sent_at"
    case phoneChangeSent = "phone_change_sent_at"
    case reauthenticationSent = "reauthentication_sent_at"
    case invited = "invited_at"
    case lastSignIn = "last_sign_in_at"
    case bannedUntil = "banned_until"
    case deleted = "deleted_at"
    case emailUndeliverable = "email_undeliverable_at"
}

/// The times of an account's events; nil until they happen.
public struct AuthUserTimes: Hashable, Sendable {
    private var dates: [UserEvent: Date] = [:]

    /// No events.
    public init() {}

    /// When the email address was confirmed.
    public var emailConfirmedAt: Date? { dates[.emailConfirmed] }
    /// When the telephone number was confirmed.
    public var phoneConfirmedAt: Date? { dates[.phoneConfirmed] }
    /// The earlier confirmation.
    public var confirmedAt: Date? { dates[.confirmed] }
    /// When the sign-up's confirmation was emailed.
    public var confirmationSentAt: Date? { dates[.confirmationSent] }
    /// When a password reset or magic link was emailed.
    public var recoverySentAt: Date? { dates[.recoverySent] }
    /// When the change of address was emailed.
    public var emailChangeSentAt: Date? { dates[.emailChangeSent] }
    /// When the message to the new number was sent.
    public var phoneChangeSentAt: Date? { dates[.phoneChangeSent] }
    /// When the reauthentication code was sent.
    public var reauthenticationSentAt: Date? { dates[.reauthenticationSent] }
    /// When the invitation was sent.
    public var invitedAt: Date? { dates[.invited] }
    /// When the user last signed in, by any method.
    public var lastSignInAt: Date? { dates[.lastSignIn] }
    /// When the ban ends.
    public var bannedUntil: Date? { dates[.bannedUntil] }
    /// When the account was soft-deleted and its data erased.
    public var deletedAt: Date? { dates[.deleted] }
    /// When the address's mail server refused it for good; nil once it accepts email again. Ask for another address.
    public var emailUndeliverableAt: Date? { dates[.emailUndeliverable] }

    /// The time by member name, such as `invited_at`. Ignores unknown names.
    public subscript(name: String) -> Date? {
        get { UserEvent(text: name).flatMap { dates[$0] } }
        set { if let event = UserEvent(text: name) { dates[event] = newValue } }
    }

    init(_ members: WireMembers) {
        for event in UserEvent.allCases { dates[event] = members.date(event.rawValue) }
    }

    func instant(of event: UserEvent) -> Instant? { dates[event]?.instant }
}

extension AuthUser {
    /// Reads a user, or an object with the member `user`. Throws ``WireProblem`` for a missing or malformed `id` or
    /// `created_at`.
    public init(json: AuthJSON) throws(WireProblem) {
        var json = json
        if json["id"] == nil, let inner = json["user"], inner.objectValue != nil { json = inner }
        let members = try WireMembers(json, path: "user")
        let createdAt = try members.requiredDate("created_at")
        var identities: [AuthUserIdentity]?
        if members["identities"]?.arrayValue != nil {
            identities = try WireMembers.list("identities", of: json, AuthUserIdentity.init(json:))
        }
        // Ignored: unreadable factors must not fail a sign-in.
        let factors = members["factors"]?.arrayValue?.compactMap { try? AuthFactor(json: $0) }
        self.init(
            id: try members.uuid("id"), aud: members.text("aud") ?? "authenticated", role: members.text("role"),
            appMetadata: members.object("app_metadata"), userMetadata: members.object("user_metadata"),
            email: members.text("email"), phone: members.text("phone"), newEmail: members.text("new_email"),
            newPhone: members.text("new_phone"), identities: identities, isAnonymous: members.bool("is_anonymous"),
            createdAt: createdAt, updatedAt: members.date("updated_at") ?? createdAt, times: AuthUserTimes(members))
        self.factors = factors
        // Ignored: unknown credentials must not fail a sign-in.
        setAside = members["set_aside"]?.arrayValue?.compactMap { try? AuthSetAsideCredential(json: $0) } ?? []
        formerEmail = members.text("former_email")
        formerEmailMovedAt = members.date("former_email_moved_at")
    }

    package static func list(json: AuthJSON) throws(WireProblem) -> [AuthUser] {
        try WireMembers.list("users", of: json, AuthUser.init(json:))
    }

    package func write(to writer: inout JSONWriter) {
        writer.user(
            id: id.uuidString.lowercased(), audience: aud, role: role ?? "", email: email, phone: phone,
            newEmail: newEmail, newPhone: newPhone, appMetadata: AuthJSON.object(appMetadata).text,
            userMetadata: AuthJSON.object(userMetadata).text, isAnonymous: isAnonymous, createdAt: createdAt.instant,
            updatedAt: updatedAt.instant, times: { times.instant(of: $0) }, showsIdentities: identities != nil
        ) { writer in
            for identity in identities ?? [] { identity.write(to: &writer) }
        } more: { writer in
            if let factors { writer.list("factors", factors) { $1.write(to: &$0) } }
            if !setAside.isEmpty { writer.list("set_aside", setAside) { $1.write(to: &$0) } }
            writer.member("former_email", unlessEmpty: formerEmail)
            writer.member("former_email_moved_at", ifPresent: formerEmailMovedAt?.instant)
        }
    }
}

extension JSONWriter {
    /// Omits empty members, except `email` and `phone`. Metadata are JSON objects.
    ///
    /// - Parameters:
    ///   - showsIdentities: false writes `"identities": null`.
    ///   - more: Writes further members.
    package mutating func user(
        id: String, audience: String, role: String, email: String?, phone: String?, newEmail: String?,
        newPhone: String?, appMetadata: String, userMetadata: String, isAnonymous: Bool, createdAt: Instant,
        updatedAt: Instant, times: (UserEvent) -> Instant?, showsIdentities: Bool,
        identities: (inout JSONWriter) -> Void, more: (inout JSONWriter) -> Void = { _ in }
    ) {
        beginObject()
        member("id", id)
        member("aud", audience)
        member("role", role)
        member("email", email ?? "")
        member("email_confirmed_at", ifPresent: times(.emailConfirmed))
        member("invited_at", ifPresent: times(.invited))
        member("phone", phone ?? "")
        member("phone_confirmed_at", ifPresent: times(.phoneConfirmed))
        member("confirmation_sent_at", ifPresent: times(.confirmationSent))
        member("confirmed_at", ifPresent: times(.confirmed))
        member("recovery_sent_at", ifPresent: times(.recoverySent))
        member("new_email", unlessEmpty: newEmail)
        member("email_change_sent_at", ifPresent: times(.emailChangeSent))
        member("new_phone", unlessEmpty: newPhone)
        member("phone_change_sent_at", ifPresent: times(.phoneChangeSent))
        member("reauthentication_sent_at", ifPresent: times(.reauthenticationSent))
        member("last_sign_in_at", ifPresent: times(.lastSignIn))
        member("app_metadata", json: appMetadata)
        member("user_metadata", json: userMetadata)
        name("identities")
        if showsIdentities { array(identities) } else { null() }
        member("created_at", createdAt)
        member("updated_at", updatedAt)
        member("banned_until", ifPresent: times(.bannedUntil))
        member("deleted_at", ifPresent: times(.deleted))
        member("email_undeliverable_at", ifPresent: times(.emailUndeliverable))
        member("is_anonymous", isAnonymous)
        more(&self)
        endObject()
    }

    mutating func member(_ name: StaticString, unlessEmpty value: String?) {
        if let value, !value.isEmpty { member(name, value) }
    }
}
