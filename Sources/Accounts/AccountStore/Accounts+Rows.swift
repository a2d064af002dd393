import AccountDomain
import GatehouseWire
import SQLDatabase

// The columns of each table, in one place; every statement that reads whole rows uses this order.
extension Accounts {
    static let userColumns: StaticString = """
        users.id, users.aud, users.role, users.created_at, users.email, users.phone, users.password_hash,
        users.app_metadata, users.user_metadata, users.is_anonymous, users.new_email, users.new_phone, users.updated_at,
        users.email_confirmed_at, users.phone_confirmed_at, users.last_sign_in_at, users.invited_at,
        users.confirmation_sent_at, users.recovery_sent_at, users.email_change_sent_at, users.phone_change_sent_at,
        users.reauthentication_sent_at, users.banned_until, users.deleted_at, users.email_proven_at,
        users.email_undeliverable_at, users.factors, users.has_second_factor, users.address_change_session,
        users.set_aside, users.former_email, users.former_email_moved_at
        """
    static let userColumnCount = 32

    static let identityColumns: StaticString = """
        identities.id, identities.user_id, identities.provider, identities.provider_id, identities.identity_data,
        identities.email, identities.created_at, identities.last_sign_in_at, identities.updated_at,
        identities.email_verified, identities.set_aside_at
        """
    static let identityColumnCount = 11

    static let sessionColumns: StaticString = """
        sessions.id, sessions.user_id, sessions.created_at, sessions.refreshed_at, sessions.refresh_token_counter,
        sessions.aal, sessions.amr, sessions.factor_id, sessions.level_counter
        """
    static let sessionColumnCount = 9
}

extension Row {
    mutating func instant() -> Instant { Instant(microseconds: int()) }
    mutating func instantIfPresent() -> Instant? { intIfPresent().map(Instant.init(microseconds:)) }
    mutating func id<Owner>() -> Identifier<Owner> { Identifier(trusted: text()) }
    mutating func idIfPresent<Owner>() -> Identifier<Owner>? { textIfPresent().map(Identifier.init(trusted:)) }

    mutating func user() -> User { user(id()) }

    /// Reads a user whose id was read already.
    mutating func user(_ id: UserID) -> User {
        var user = User(id: id, audience: text(), role: text(), times: UserTimes(createdAt: instant()))
        user.email = textIfPresent()
        user.phone = textIfPresent()
        user.passwordHash = textIfPresent().map(Secret.init)
        user.appMetadata = text()
        user.userMetadata = text()
        user.isAnonymous = bool()
        user.newEmail = textIfPresent()
        user.newPhone = textIfPresent()
        user.times.updatedAt = instant()
        user.times.emailConfirmedAt = instantIfPresent()
        user.times.phoneConfirmedAt = instantIfPresent()
        user.times.lastSignInAt = instantIfPresent()
        user.times.invitedAt = instantIfPresent()
        user.times.confirmationSentAt = instantIfPresent()
        user.times.recoverySentAt = instantIfPresent()
        user.times.emailChangeSentAt = instantIfPresent()
        user.times.phoneChangeSentAt = instantIfPresent()
        user.times.reauthenticationSentAt = instantIfPresent()
        user.times.bannedUntil = instantIfPresent()
        user.times.deletedAt = instantIfPresent()
        user.times.emailProvenAt = instantIfPresent()
        user.times.emailUndeliverableAt = instantIfPresent()
        user.factors = textIfPresent()
        user.hasSecondFactor = bool()
        user.addressChangeSession = idIfPresent()
        user.storedSetAside = textIfPresent()
        user.formerEmail = textIfPresent()
        user.times.formerEmailMovedAt = instantIfPresent()
        return user
    }

    /// nil if an outer join found no identity, and for one that is set aside: it opens nothing, and decides nothing.
    mutating func identityIfPresent() -> Identity? {
        if isNull {
            skip(Accounts.identityColumnCount)
            return nil
        }
        var identity = Identity(
            id: id(), user: id(), provider: text(), providerID: text(), data: text(), email: textIfPresent(),
            at: instant())
        identity.lastSignInAt = instantIfPresent()
        identity.updatedAt = instant()
        identity.isEmailVerified = bool()
        return instantIfPresent() == nil ? identity : nil
    }

    mutating func session() -> Session {
        var session = Session(
            id: id(), user: id(), createdAt: instant(), refreshedAt: instantIfPresent(), counter: int(),
            assuranceLevel: AssuranceLevel(text: text()) ?? .aal1, authenticationMethods: text())
        session.factor = idIfPresent()
        session.levelCounter = int()
        return session
    }
}

extension [Account] {
    /// Adds a row with the columns of a user, then of an identity. The rows of one user must be adjacent.
    fileprivate mutating func add(_ row: inout Row) {
        let id: UserID = row.id()
        if last?.user.id == id {
            row.skip(Accounts.userColumnCount - 1)
        } else {
            append(Account(user: row.user(id), identities: []))
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
    /// Reads accounts from a query whose columns are those of a user, then of an identity. The rows of one user must be
    /// adjacent.
    func accounts(_ query: SQL) async throws -> [Account] { try await rows(query, into: []) { $0.add(&$1) } }
}

extension Connection {
    /// As `accounts` of ``Database``, within a transaction.
    func accounts(_ query: SQL) throws -> [Account] { try rows(query, into: []) { $0.add(&$1) } }

    func account(_ id: UserID) throws -> Account? { try accounts(Accounts.accountLookup(id)).first }

    /// Inserts an account. A trigger creates its profile.
    func insert(_ user: User) throws {
        try insertRow(user)
        journal?.add(.created(user.id), at: user.times.createdAt)
        // The trigger checks only the beginning of a picture's URL. This applies the full rule of profile changes.
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
                former_email_moved_at)
            VALUES (
                \(user.id), \(user.audience), \(user.role), \(user.email), \(user.phone), \(user.passwordHash?.reveal()),
                \(user.appMetadata), \(user.userMetadata), \(user.isAnonymous), \(user.newEmail), \(user.newPhone),
                \(times.createdAt), \(times.updatedAt), \(times.emailConfirmedAt), \(times.phoneConfirmedAt),
                \(times.lastSignInAt), \(times.invitedAt), \(times.confirmationSentAt), \(times.recoverySentAt),
                \(times.emailChangeSentAt), \(times.phoneChangeSentAt), \(times.reauthenticationSentAt),
                \(times.bannedUntil), \(times.deletedAt), \(times.emailProvenAt), \(user.storedSetAside),
                \(user.formerEmail), \(times.formerEmailMovedAt))
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

    /// - Parameter identity: The identity that opened the session; nil for the account's own password.
    func insert(_ session: Session, from device: Device, by identity: IdentityID? = nil) throws {
        journal?.add(.started(session, device), at: session.createdAt)
        try run(
            """
            INSERT INTO sessions (id, user_id, refresh_token_counter, aal, amr, user_agent, ip, created_at, identity_id)
            VALUES (
                \(session.id), \(session.user), \(session.counter), \(session.assuranceLevel.rawValue),
                \(session.authenticationMethods), \(device.userAgent), \(device.address), \(session.createdAt),
                \(identity))
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
    static func of(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    static func of(_ instant: Instant?) -> SQLValue {
        instant.map { SQLValue.instant($0.microseconds) } ?? .null
    }
}
