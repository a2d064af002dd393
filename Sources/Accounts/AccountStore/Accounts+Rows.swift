import AccountDomain
package import GatehouseWire
package import SQLDatabase

extension Accounts {
    static let userColumns = Columns(
        of: "users",
        from: User(
            id: UserID(trusted: nilID), audience: "", role: "", times: UserTimes(createdAt: Instant(seconds: 0))),
        [
            .init("id") { $0.id = $1.id() },
            .init("aud") { $0.audience = $1.text() },
            .init("role") { $0.role = $1.text() },
            .init("created_at") { $0.times.createdAt = $1.instant() },
            .init("email") { $0.email = $1.textIfPresent() },
            .init("phone") { $0.phone = $1.textIfPresent() },
            .init("password_hash") { $0.passwordHash = $1.textIfPresent().map(Secret.init) },
            .init("app_metadata") { $0.appMetadata = $1.text() },
            .init("user_metadata") { $0.userMetadata = $1.text() },
            .init("is_anonymous") { $0.isAnonymous = $1.bool() },
            .init("new_email") { $0.newEmail = $1.textIfPresent() },
            .init("new_phone") { $0.newPhone = $1.textIfPresent() },
            .init("updated_at") { $0.times.updatedAt = $1.instant() },
            .init("email_confirmed_at") { $0.times.emailConfirmedAt = $1.instantIfPresent() },
            .init("phone_confirmed_at") { $0.times.phoneConfirmedAt = $1.instantIfPresent() },
            .init("last_sign_in_at") { $0.times.lastSignInAt = $1.instantIfPresent() },
            .init("invited_at") { $0.times.invitedAt = $1.instantIfPresent() },
            .init("confirmation_sent_at") { $0.times.confirmationSentAt = $1.instantIfPresent() },
            .init("recovery_sent_at") { $0.times.recoverySentAt = $1.instantIfPresent() },
            .init("email_change_sent_at") { $0.times.emailChangeSentAt = $1.instantIfPresent() },
            .init("phone_change_sent_at") { $0.times.phoneChangeSentAt = $1.instantIfPresent() },
            .init("reauthentication_sent_at") { $0.times.reauthenticationSentAt = $1.instantIfPresent() },
            .init("banned_until") { $0.times.bannedUntil = $1.instantIfPresent() },
            .init("deleted_at") { $0.times.deletedAt = $1.instantIfPresent() },
            .init("email_proven_at") { $0.times.emailProvenAt = $1.instantIfPresent() },
            .init("email_undeliverable_at") { $0.times.emailUndeliverableAt = $1.instantIfPresent() },
            .init("factors") { $0.factors = $1.textIfPresent() },
            .init("has_second_factor") { $0.hasSecondFactor = $1.bool() },
            .init("address_change_session") { $0.addressChangeSession = $1.idIfPresent() },
            .init("set_aside") { $0.storedSetAside = $1.textIfPresent() },
            .init("former_email") { $0.formerEmail = $1.textIfPresent() },
            .init("former_email_moved_at") { $0.times.formerEmailMovedAt = $1.instantIfPresent() },
            .init("phone_proven_at") { $0.times.phoneProvenAt = $1.instantIfPresent() },
            .init("phone_change_session") { $0.phoneChangeSession = $1.idIfPresent() },
        ])

    static let identityColumns = Columns(
        of: "identities", from: FoundIdentity(),
        [
            .init("id") { $0.identity.id = $1.id() },
            .init("user_id") { $0.identity.user = $1.id() },
            .init("provider") { $0.identity.provider = $1.text() },
            .init("provider_id") { $0.identity.providerID = $1.text() },
            .init("identity_data") { $0.identity.data = $1.text() },
            .init("email") { $0.identity.email = $1.textIfPresent() },
            .init("created_at") { $0.identity.createdAt = $1.instant() },
            .init("last_sign_in_at") { $0.identity.lastSignInAt = $1.instantIfPresent() },
            .init("updated_at") { $0.identity.updatedAt = $1.instant() },
            .init("email_verified") { $0.identity.isEmailVerified = $1.bool() },
            .init("set_aside_at") { $0.isSetAside = $1.instantIfPresent() != nil },
        ])

    static let sessionColumns = Columns(
        of: "sessions",
        from: Session(
            id: SessionID(trusted: nilID), user: UserID(trusted: nilID), createdAt: Instant(seconds: 0),
            authenticationMethods: ""),
        [
            .init("id") { $0.id = $1.id() },
            .init("user_id") { $0.user = $1.id() },
            .init("created_at") { $0.createdAt = $1.instant() },
            .init("refreshed_at") { $0.refreshedAt = $1.instantIfPresent() },
            .init("refresh_token_counter") { $0.counter = $1.int() },
            .init("aal") { $0.assuranceLevel = AssuranceLevel(text: $1.text()) ?? .aal1 },
            .init("amr") { $0.authenticationMethods = $1.text() },
            .init("factor_id") { $0.factor = $1.idIfPresent() },
            .init("level_counter") { $0.levelCounter = $1.int() },
            .init("oauth_client_id") { $0.client = $1.sessionClientIfPresent() },
            .init("oauth_grant") {
                let grant = $1.textIfPresent()
                $0.client?.read(grant)
            },
            .init("key_thumbprint") { $0.keyThumbprint = $1.textIfPresent() },
            .init("used_proofs") { $0.usedProofs = $1.textIfPresent() },
            .init("ends_at") { $0.endsAt = $1.instantIfPresent() },
            .init("parent_id") { $0.child = $1.childSessionIfPresent() },
            .init("child") {
                let stored = $1.textIfPresent()
                $0.child?.read(stored)
            },
        ])
}

struct FoundIdentity: Sendable {
    var identity = Identity(
        id: IdentityID(trusted: Accounts.nilID), user: UserID(trusted: Accounts.nilID), provider: "", providerID: "",
        data: "", email: nil, at: Instant(seconds: 0))
    var isSetAside = false
}

extension Row {
    mutating func instant() -> Instant { Instant(microseconds: int()) }
    mutating func instantIfPresent() -> Instant? { intIfPresent().map(Instant.init(microseconds:)) }
    mutating func id<Owner>() -> Identifier<Owner> { Identifier(trusted: text()) }
    mutating func idIfPresent<Owner>() -> Identifier<Owner>? { textIfPresent().map(Identifier.init(trusted:)) }

    mutating func user() -> User { Accounts.userColumns.read(&self) }

    /// nil if an outer join found no identity, or a set-aside one, which opens and decides nothing.
    mutating func identityIfPresent() -> Identity? {
        if isNull {
            skip(Accounts.identityColumns.count)
            return nil
        }
        let found = Accounts.identityColumns.read(&self)
        return found.isSetAside ? nil : found.identity
    }

    mutating func session() -> Session { Accounts.sessionColumns.read(&self) }
}

extension [Account] {
    /// Expects a user's columns, then an identity's. A user's rows must be adjacent.
    fileprivate mutating func add(_ row: inout Row) {
        let id: UserID = row.id()
        if last?.user.id == id {
            row.skip(Accounts.userColumns.count - 1)
        } else {
            append(Account(user: Accounts.userColumns.read(&row, after: { $0.id = id }), identities: []))
        }
        if let identity = row.identityIfPresent() { self[count - 1].identities.append(identity) }
    }
}

extension Accounts {
    static func accountLookup(_ id: UserID) -> SQL {
        """
        SELECT \(columns: userColumns), \(columns: identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id = \(id.text)
        ORDER BY identities.created_at, identities.id
        """
    }
}

extension Database {
    /// Expects a user's columns, then an identity's. A user's rows must be adjacent.
    func accounts(_ query: SQL) async throws -> [Account] { try await rows(query, into: []) { $0.add(&$1) } }
}

extension Connection {
    func accounts(_ query: SQL) throws -> [Account] { try rows(query, into: []) { $0.add(&$1) } }

    func account(_ id: UserID) throws -> Account? { try accounts(Accounts.accountLookup(id)).first }

    /// A trigger creates the profile.
    func insert(_ user: User) throws {
        try insertRow(user)
        journal?.add(.created(user.id), at: user.times.createdAt)
        // The trigger checks only the beginning of a picture's URL.
        let metadata = try JSONReader.read(user.userMetadata)
        let given = metadata["avatar_url"].flatMap { $0.isNull ? nil : $0 } ?? metadata["picture"]
        guard let picture = given?.stringValue, !WebAddress.isPicture(picture) else { return }
        try run("UPDATE profiles SET avatar_url = NULL WHERE id = \(user.id)")
    }

    private func insertRow(_ user: User) throws {
        let times = user.times
        try run(
            """
            INSERT INTO users (
                id, aud, role, email, phone, password_hash, app_metadata, user_metadata, is_anonymous, new_email,
                new_phone, created_at, updated_at, email_confirmed_at, phone_confirmed_at, last_sign_in_at, invited_at,
                confirmation_sent_at, recovery_sent_at, email_change_sent_at, phone_change_sent_at,
                reauthentication_sent_at, banned_until, deleted_at, email_proven_at, set_aside, former_email,
                former_email_moved_at, phone_proven_at)
            VALUES (
                \(user.id), \(user.audience), \(user.role), \(user.email), \(user.phone), \(user.passwordHash?.reveal()),
                \(user.appMetadata), \(user.userMetadata), \(user.isAnonymous), \(user.newEmail), \(user.newPhone),
                \(times.createdAt), \(times.updatedAt), \(times.emailConfirmedAt), \(times.phoneConfirmedAt),
                \(times.lastSignInAt), \(times.invitedAt), \(times.confirmationSentAt), \(times.recoverySentAt),
                \(times.emailChangeSentAt), \(times.phoneChangeSentAt), \(times.reauthenticationSentAt),
                \(times.bannedUntil), \(times.deletedAt), \(times.emailProvenAt), \(user.storedSetAside),
                \(user.formerEmail), \(times.formerEmailMovedAt), \(times.phoneProvenAt))
            """)
    }

    func insert(_ identity: Identity) throws {
        journal?.add(.linked(identity), at: identity.createdAt)
        try run(
            """
            INSERT INTO identities (
                id, user_id, provider, provider_id, identity_data, email, last_sign_in_at, created_at, updated_at,
                email_verified)
            VALUES (
                \(identity.id), \(identity.user), \(identity.provider), \(identity.providerID), \(identity.data),
                \(identity.email), \(identity.lastSignInAt), \(identity.createdAt), \(identity.updatedAt),
                \(identity.isEmailVerified))
            """)
    }

    /// - Parameter identity: nil for the account's own password.
    func insert(_ session: Session, from device: Device, by identity: IdentityID? = nil) throws {
        journal?.add(.started(session, device), at: session.createdAt)
        try run(
            """
            INSERT INTO sessions (id, user_id, refresh_token_counter, aal, amr, user_agent, ip, created_at, identity_id,
                oauth_client_id, oauth_grant, key_thumbprint, used_proofs, ends_at, parent_id, child)
            VALUES (
                \(session.id), \(session.user), \(session.counter), \(session.assuranceLevel.rawValue),
                \(session.authenticationMethods), \(device.userAgent), \(device.address), \(session.createdAt),
                \(identity), \(session.client?.id), \(session.client?.json.text),
                \(session.keyThumbprint), \(session.usedProofs), \(session.endsAt), \(session.child?.parent),
                \(session.child?.json.text))
            """)
    }
}

extension SQL.StringInterpolation {
    mutating func appendInterpolation<Owner>(_ id: Identifier<Owner>) { appendInterpolation(id.text) }
    mutating func appendInterpolation<Owner>(_ id: Identifier<Owner>?) { appendInterpolation(id?.text) }
    mutating func appendInterpolation(_ instant: Instant) {
        appendInterpolation(SQLValue.instant(instant.microseconds))
    }
    mutating func appendInterpolation(_ instant: Instant?) { appendInterpolation(SQLValue.of(instant)) }
}

extension SQLValue {
    package static func of(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    package static func of(_ instant: Instant?) -> SQLValue {
        instant.map { SQLValue.instant($0.microseconds) } ?? .null
    }
}
