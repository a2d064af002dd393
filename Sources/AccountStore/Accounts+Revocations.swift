import AccountDomain
package import GatehouseWire
import SQLDatabase

/// That tokens are not to be accepted although they have not run out: those of a session that has ended, or all of
/// somebody who was banned or deleted.
package struct Revocation: Equatable, Sendable {
    /// Of the session or of the user.
    package let id: String
    package let notedAt: Instant
    /// nil: for good. In the past: they are accepted again.
    package let until: Instant?

    package init(id: String, notedAt: Instant, until: Instant?) {
        self.id = id
        self.notedAt = notedAt
        self.until = until
    }
}

extension Accounts {
    /// How many are told at most, the newest first.
    package static let mostRevocations = 65_536
    /// How long they are told: longer than any access token is good.
    package static let revocationsStay: Duration = .seconds(8 * 86_400)

    /// What was noted from `moment` on. The time is that of the change's beginning, and by the clock of the node that
    /// made it: ask for somewhat more than since the last time.
    package func revocations(since moment: Instant) async throws -> [Revocation] {
        try await database.read { db in
            try db.rows(Self.revocationLookup(since: moment)) { row in
                Revocation(id: row.text(0), notedAt: row.instant(1), until: row.instantIfPresent(2))
            }
        }
    }

    static func revocationLookup(since moment: Instant) -> SQL {
        """
        SELECT id, noted_at, until FROM revocations WHERE noted_at >= \(moment)
        ORDER BY noted_at DESC LIMIT \(mostRevocations)
        """
    }

    /// A write that may end sessions or shut somebody out.
    func revoking<Value: Sendable>(
        at now: Instant, _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        let value = try await database.write(body)
        await afterRevocation(now)
        return value
    }
}

extension Connection {
    /// Ends sessions, and keeps that in mind for those who look at tokens alone.
    ///
    /// - Returns: How many there were.
    @discardableResult
    func endSessions(where condition: SQL, at now: Instant) throws -> Int {
        try run(
            """
            INSERT INTO revocations (id, noted_at) SELECT id, \(now) FROM sessions WHERE \(condition)
            ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at
            """)
        return try run("DELETE FROM sessions WHERE \(condition)")
    }

    func endSessions(of user: UserID, keeping session: SessionID?, at now: Instant) throws {
        if let session {
            try endSessions(where: "user_id = \(user) AND id <> \(session)", at: now)
        } else {
            try endSessions(where: "user_id = \(user)", at: now)
        }
    }

    /// Has all tokens of a user refused; with `now` as the end, accepted again.
    func revoke(_ user: UserID, until end: Instant? = nil, at now: Instant) throws {
        try run(
            """
            INSERT INTO revocations (id, noted_at, until) VALUES (\(user), \(now), \(end))
            ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at, until = excluded.until
            """)
    }
}
