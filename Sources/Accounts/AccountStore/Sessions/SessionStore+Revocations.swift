import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Invalidates access tokens of an ended session, or of a banned or deleted user.
package struct Revocation: Equatable, Sendable {
    /// Of the session or user.
    package let id: String
    package let notedAt: Instant
    /// nil: never valid again. A time in the past: valid again.
    package let until: Instant?

    package init(id: String, notedAt: Instant, until: Instant?) {
        self.id = id
        self.notedAt = notedAt
        self.until = until
    }
}

extension SessionStore {
    package static let mostRevocations = 65_536
    /// Longer than any access token is valid.
    package static let revocationsStay: Duration = .seconds(8 * 86_400)

    /// Revocations since `moment`, newest first, at most ``mostRevocations``. Their times are the transactions'
    /// beginnings, by their nodes' clocks, so pass a time somewhat before the previous call.
    package func revocations(since moment: Instant) async throws -> [Revocation] {
        try await database.rows(Self.revocationLookup(since: moment)) { row in
            Revocation(id: row.text(), notedAt: row.instant(), until: row.instantIfPresent())
        }
    }

    static func revocationLookup(since moment: Instant) -> SQL {
        """
        SELECT id, noted_at, until FROM revocations WHERE noted_at >= \(moment)
        ORDER BY noted_at DESC LIMIT \(mostRevocations)
        """
    }

    /// Calls ``afterRevocation`` after a write that may end sessions or block a user.
    func revoking<Value: Sendable>(
        at now: Instant, _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let value = try await database.write(body)
        await accounts.afterRevocation(now)
        return value
    }

    /// Ends sessions, their children and the changes of address that they began. Records the reason, and revocations for
    /// callers that verify tokens without the database. An account read before may still show the change, but cannot restore it.
    ///
    /// - Returns: The number of sessions, without children that the condition does not name.
    @discardableResult
    func endSessions(
        where condition: SQL, _ end: SessionEnd, at now: Instant, in db: any Connection
    ) throws -> Int {
        let found = try db.run(
            """
            INSERT INTO revocations (id, noted_at) SELECT id, \(now) FROM sessions WHERE \(condition)
            ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at
            """)
        guard found > 0 else { return 0 }
        try endChildren(of: condition, end, at: now, in: db)
        try record(end, of: condition, at: now, in: db)
        for user in try db.rows(Self.addressChanges(begunWhere: condition), { $0.id() as UserID }) {
            try db.endChanges(of: user, at: now)
        }
        return try db.run("DELETE FROM sessions WHERE \(condition)")
    }

    static func addressChanges(begunWhere condition: SQL) -> SQL {
        """
        SELECT users.id FROM (SELECT id AS session_id, user_id FROM sessions WHERE \(condition)) AS ended
        JOIN users ON users.id = ended.user_id AND users.address_change_session = ended.session_id
        """
    }

    /// - Returns: The sessions ended.
    @discardableResult
    func endSessions(
        of user: UserID, keeping session: SessionID?, _ end: SessionEnd, at now: Instant, in db: any Connection
    ) throws -> Int {
        if let session {
            try endSessions(where: "user_id = \(user) AND id <> \(session)", end, at: now, in: db)
        } else {
            try endSessions(where: "user_id = \(user)", end, at: now, in: db)
        }
    }
}

extension Connection {
    /// Invalidates a user's tokens. With `until: now` they become valid again.
    func revoke(_ user: UserID, until end: Instant? = nil, at now: Instant) throws {
        try run(
            """
            INSERT INTO revocations (id, noted_at, until) VALUES (\(user), \(now), \(end))
            ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at, until = excluded.until
            """)
    }
}
