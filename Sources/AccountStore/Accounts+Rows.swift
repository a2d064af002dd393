import AccountDomain
import GatehouseWire
import SQLDatabase

// The columns of each table, in one place; every statement that reads whole rows uses this order.
extension Accounts {
    static let userColumns: StaticString = """
        users.id, users.aud, users.role, users.email, users.phone, users.password_hash, users.app_metadata,
        users.user_metadata, users.is_anonymous, users.new_email, users.new_phone, users.created_at, users.updated_at,
        users.email_confirmed_at, users.phone_confirmed_at, users.last_sign_in_at, users.invited_at,
        users.confirmation_sent_at, users.recovery_sent_at, users.email_change_sent_at, users.phone_change_sent_at,
        users.reauthentication_sent_at, users.banned_until, users.deleted_at, users.email_proven_at
        """
    static let userColumnCount = 25

    static let identityColumns: StaticString = """
        identities.id, identities.user_id, identities.provider, identities.provider_id, identities.identity_data,
        identities.email, identities.last_sign_in_at, identities.created_at, identities.updated_at,
        identities.email_verified
        """
    static let identityColumnCount = 10

    static let sessionColumns: StaticString = """
        sessions.id, sessions.user_id, sessions.created_at, sessions.refreshed_at, sessions.refresh_token_counter,
        sessions.aal, sessions.amr
        """
    static let sessionColumnCount = 7
}

extension Row {
    func instant(_ column: Int) -> Instant { Instant(microseconds: int(column)) }
    func instantIfPresent(_ column: Int) -> Instant? { intIfPresent(column).map(Instant.init(microseconds:)) }
    func id<Owner>(_ column: Int) -> Identifier<Owner> { Identifier(trusted: text(column)) }

    func user(from first: Int = 0) -> User {
        var times = UserTimes(createdAt: instant(first + 11))
        times.updatedAt = instant(first + 12)
        times.emailConfirmedAt = instantIfPresent(first + 13)
        times.phoneConfirmedAt = instantIfPresent(first + 14)
        times.lastSignInAt = instantIfPresent(first + 15)
        times.invitedAt = instantIfPresent(first + 16)
        times.confirmationSentAt = instantIfPresent(first + 17)
        times.recoverySentAt = instantIfPresent(first + 18)
        times.emailChangeSentAt = instantIfPresent(first + 19)
        times.phoneChangeSentAt = instantIfPresent(first + 20)
        times.reauthenticationSentAt = instantIfPresent(first + 21)
        times.bannedUntil = instantIfPresent(first + 22)
        times.deletedAt = instantIfPresent(first + 23)
        times.emailProvenAt = instantIfPresent(first + 24)
        var user = User(id: id(first), audience: text(first + 1), role: text(first + 2), times: times)
        user.email = textIfPresent(first + 3)
        user.phone = textIfPresent(first + 4)
        user.passwordHash = textIfPresent(first + 5).map(Secret.init)
        user.appMetadata = text(first + 6)
        user.userMetadata = text(first + 7)
        user.isAnonymous = bool(first + 8)
        user.newEmail = textIfPresent(first + 9)
        user.newPhone = textIfPresent(first + 10)
        return user
    }

    /// nil if an outer join found no identity.
    func identityIfPresent(from first: Int) -> Identity? {
        guard !isNull(first) else { return nil }
        var identity = Identity(
            id: id(first), user: id(first + 1), provider: text(first + 2), providerID: text(first + 3),
            data: text(first + 4), email: textIfPresent(first + 5), at: instant(first + 7))
        identity.lastSignInAt = instantIfPresent(first + 6)
        identity.updatedAt = instant(first + 8)
        identity.isEmailVerified = bool(first + 9)
        return identity
    }

    func session(from first: Int = 0) -> Session {
        Session(
            id: id(first), user: id(first + 1), createdAt: instant(first + 2), refreshedAt: instantIfPresent(first + 3),
            counter: int(first + 4), assuranceLevel: text(first + 5), authenticationMethods: text(first + 6))
    }
}

extension Connection {
    /// Reads accounts from a query whose columns are those of a user, then of an identity. The rows of one user must be
    /// adjacent.
    func accounts(_ statement: SQL) throws -> [Account] {
        var accounts: [Account] = []
        _ = try rows(statement) { row in
            if accounts.last?.user.id.text != row.text(0) {
                accounts.append(Account(user: row.user(), identities: []))
            }
            if let identity = row.identityIfPresent(from: Accounts.userColumnCount) {
                accounts[accounts.count - 1].identities.append(identity)
            }
        }
        return accounts
    }

    func account(_ id: UserID) throws -> Account? {
        try accounts(
            """
            SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
            FROM users LEFT JOIN identities ON identities.user_id = users.id
            WHERE users.id = \(id.text)
            ORDER BY identities.created_at, identities.id
            """
        ).first
    }

    /// Inserts an account. A trigger creates its profile.
    func insert(_ user: User) throws {
        try insertRow(user)
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
                reauthentication_sent_at, banned_until, deleted_at, email_proven_at)
            VALUES (
                \(user.id), \(user.audience), \(user.role), \(user.email), \(user.phone), \(user.passwordHash?.reveal()),
                \(user.appMetadata), \(user.userMetadata), \(user.isAnonymous), \(user.newEmail), \(user.newPhone),
                \(times.createdAt), \(times.updatedAt), \(times.emailConfirmedAt), \(times.phoneConfirmedAt),
                \(times.lastSignInAt), \(times.invitedAt), \(times.confirmationSentAt), \(times.recoverySentAt),
                \(times.emailChangeSentAt), \(times.phoneChangeSentAt), \(times.reauthenticationSentAt),
                \(times.bannedUntil), \(times.deletedAt), \(times.emailProvenAt))
            """)
    }

    func insert(_ identity: Identity) throws {
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
        try run(
            """
            INSERT INTO sessions (id, user_id, refresh_token_counter, aal, amr, user_agent, ip, created_at, identity_id)
            VALUES (
                \(session.id), \(session.user), \(session.counter), \(session.assuranceLevel),
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
    mutating func appendInterpolation(_ instant: Instant?) {
        appendInterpolation(instant.map { SQLValue.instant($0.microseconds) } ?? .null)
    }
}
