package import AccountDomain
package import GatehouseWire
package import SQLDatabase

package struct CurrentAccount: Sendable {
    package fileprivate(set) var account: Account
    /// nil if the session has ended, or the token names none.
    package let session: Session?
}

extension CurrentAccount? {
    fileprivate mutating func add(_ row: inout Row) {
        if self != nil {
            row.skip(Accounts.userColumns.count)
            if let identity = row.identityIfPresent() { self?.account.insert(identity) }
            return row.skip(Accounts.sessionColumns.count)
        }
        let account = Account(user: row.user(), identities: row.identityIfPresent().map { [$0] } ?? [])
        let session = row.isNull ? nil : row.session()
        if session == nil { row.skip(Accounts.sessionColumns.count) }
        self = CurrentAccount(account: account, session: session)
    }
}

extension Account {
    /// Sorting one row costs SQLite more than reading it.
    fileprivate mutating func insert(_ identity: Identity) {
        let isLater = { (other: Identity) in
            (other.createdAt, other.id.text) > (identity.createdAt, identity.id.text)
        }
        identities.insert(identity, at: identities.firstIndex(where: isLater) ?? identities.endIndex)
    }
}

extension Accounts {
    /// One statement.
    package func current(_ user: UserID, session: SessionID?) async throws -> CurrentAccount? {
        try await database.rows(Self.currentLookup(user, session: session), into: nil) { $0.add(&$1) }
    }

    static func currentLookup(_ user: UserID, session: SessionID?) -> SQL {
        currentLookup.binding(.of(session?.text), .text(user.text))
    }

    private static let currentLookup: SQL = """
        SELECT \(columns: userColumns), \(columns: identityColumns), \(columns: sessionColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        LEFT JOIN sessions ON sessions.id = \(.null) AND sessions.user_id = users.id
        WHERE users.id = \(.null)
        """

    /// Ends sessions. If the scope includes other sessions, also deletes pending authorization codes.
    ///
    /// - Parameters:
    ///   - level: The token's. Below the user's second factor, sessions that had it stay, except the caller's.
    ///   - given: Overrides the reason and the actor.
    package func signOut(
        _ user: UserID, name: String, session: SessionID?, level: AssuranceLevel? = nil, scope: SignOutScope,
        keepsClients: Bool = false, from device: Device? = nil, as given: SessionEnd? = nil, at now: Instant
    ) async throws {
        func end(_ reason: SessionEnd.Reason) -> SessionEnd {
            given ?? (device == nil ? .byAdministrator(reason, from: nil) : .byUser(reason, in: session, from: device))
        }
        let (one, others, all) = (end(.signedOut), end(.othersSignedOut), end(.signedOutEverywhere))
        try await sessions.revoking(at: now) { db in
            let ended: Int
            if case .local = scope, let session {
                ended = try sessions.endSessions(where: "user_id = \(user) AND id = \(session)", one, at: now, in: db)
            } else {
                // A token without a session ends all.
                let kept = scope == .others ? session : nil
                let end = kept == nil ? all : others
                let clients: SQL = keepsClients ? "AND oauth_client_id IS NULL" : ""
                if let level, level < .aal2, try db.hasSecondFactor(user) {
                    ended = try endLowSessions(
                        of: user, by: session, keeping: kept, besides: clients, end, at: now, in: db)
                } else {
                    let besides: SQL = kept.map { "AND id <> \($0)" } ?? ""
                    ended = try sessions.endSessions(
                        where: "user_id = \(user) \(besides) \(clients)", end, at: now, in: db)
                    try db.endChanges(of: user, at: now)
                }
                try db.voidCodes(of: user)
            }
            // A token could fill the log otherwise.
            guard ended > 0 else { return }
            let logout = AuditEntry(.logout, actor: user, actorName: name, traits: SessionStore.traits(of: given))
            try record([logout], at: now, in: db)
        }
    }

    /// Ends sessions without the user's second factor, and the caller's own, even if it got the factor after the
    /// caller's token.
    private func endLowSessions(
        of user: UserID, by session: SessionID?, keeping kept: SessionID?, besides clients: SQL, _ end: SessionEnd,
        at now: Instant, in db: any Connection
    ) throws -> Int {
        if let kept {
            try sessions.endSessions(
                where: "user_id = \(user) AND aal = 'aal1' AND id <> \(kept) \(clients)", end, at: now, in: db)
        } else if let session {
            try sessions.endSessions(
                where: "user_id = \(user) AND (aal = 'aal1' OR id = \(session)) \(clients)", end, at: now, in: db)
        } else {
            try sessions.endSessions(where: "user_id = \(user) AND aal = 'aal1' \(clients)", end, at: now, in: db)
        }
    }
}

extension Accounts {
    /// - Parameter session: The token's claim; nil, empty or the nil UUID (in old tokens) if it names none.
    package func mayChange(
        _ user: UserID, session text: String?, at now: Instant, in db: any Connection
    ) throws -> Bool {
        if case .good = try changer(user, naming: text, at: now, in: db) { true } else { false }
    }

    func changer(_ user: UserID, naming text: String?, at now: Instant, in db: any Connection) throws -> Changer {
        guard let text, !text.isEmpty else { return try changer(user, by: nil, at: now, in: db) }
        guard let session = SessionID(text) else { return .sessionEnded }
        return try changer(user, by: session.isNil ? nil : session, at: now, in: db)
    }
}

/// The caller of a change, checked again in its transaction.
enum Changer: Sendable {
    case good(Account)
    /// Missing or soft-deleted.
    case gone
    /// The session has ended, possibly by policy, or the user is banned.
    case sessionEnded

    var isGone: Bool { if case .gone = self { true } else { false } }
}

extension Accounts {
    func changer(_ user: UserID, by session: SessionID?, at now: Instant, in db: any Connection) throws -> Changer {
        guard let current = try db.current(user, session: session), current.account.user.times.deletedAt == nil else {
            return .gone
        }
        if current.account.user.isBanned(at: now) { return .sessionEnded }
        guard session != nil else { return .good(current.account) }
        guard let found = current.session, !policy.hasEnded(found, at: now),
            try !sessions.hasLostParent(found, of: current.account.user, at: now, in: db)
        else { return .sessionEnded }
        return .good(current.account)
    }
}

extension Connection {
    func voidCodes(of user: UserID) throws {
        try run("DELETE FROM authorization_codes WHERE user_id = \(user)")
        try run(
            """
            UPDATE oauth_authorizations SET status = 'denied'
            WHERE user_id = \(user) AND status IN ('pending', 'approved')
            """)
    }

    func hasSecondFactor(_ user: UserID) throws -> Bool {
        try row("SELECT has_second_factor FROM users WHERE id = \(user)") { $0.bool() } ?? false
    }

    func current(_ user: UserID, session: SessionID?) throws -> CurrentAccount? {
        try rows(Accounts.currentLookup(user, session: session), into: nil) { $0.add(&$1) }
    }
}
