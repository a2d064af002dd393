package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Remembers accounts. Each method is one transaction: it happens whole or not at all.
///
/// Every method throws what the database throws when it is out of reach; nothing was changed then.
package struct Accounts: Sendable {
    package let database: any Database
    package let secrets: ServerSecrets
    package let policy: SessionPolicy
    /// Given to new accounts.
    package let audience: String
    package let role: String
    package let randomBytes: @Sendable (Int) -> [UInt8]
    /// Called after a commit that may have ended sessions or shut somebody out, before its caller hears of it:
    /// ``revocations(since:)`` tells whose tokens that concerns.
    package var afterRevocation: @Sendable (_ since: Instant) async -> Void = { _ in }

    package init(
        database: any Database, secrets: ServerSecrets, policy: SessionPolicy = SessionPolicy(),
        audience: String = "authenticated", role: String = "authenticated",
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.database = database
        self.secrets = secrets
        self.policy = policy
        self.audience = audience
        self.role = role
        self.randomBytes = randomBytes
    }

    /// Before all ids.
    static let nilID = "00000000-0000-0000-0000-000000000000"

    func newID<Owner>() -> Identifier<Owner> { Identifier(random: randomBytes(16)) }

    func newUser(at now: Instant) -> User {
        User(id: newID(), audience: audience, role: role, times: UserTimes(createdAt: now))
    }

    func newSession(of user: UserID, by method: AuthenticationMethod, at now: Instant) -> Session {
        Session(id: newID(), user: user, createdAt: now, authenticationMethods: method.entry(at: now))
    }

    /// What the holder of a session is given.
    ///
    /// - Parameter key: Of the session, where it is known; one of an older secret makes no token any more.
    func issue(_ session: Session, to account: Account, _ key: RefreshTokenKey? = nil) -> IssuedSession {
        let current = key.flatMap { secrets.isCurrent($0) ? $0 : nil } ?? secrets.refreshTokenKey(for: session.id)
        return IssuedSession(
            session: session, account: account, refreshToken: RefreshToken.issue(counter: session.counter, current))
    }
}

/// A session, with the token that refreshes it and the account it belongs to.
package struct IssuedSession: Sendable {
    package let session: Session
    package var account: Account
    package let refreshToken: Secret
}
