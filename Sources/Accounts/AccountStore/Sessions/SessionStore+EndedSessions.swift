package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension SessionStore {
    /// The maximum number that ``endedSessions(of:limit:at:)`` returns.
    package static let mostEndedSessions = 100

    /// Returns the newest ended sessions of a user, newest end first. Also those that have ended by policy and still
    /// have a row. The records of a deleted account are without devices and addresses.
    ///
    /// - Parameter limit: Clamped to 1 to ``mostEndedSessions``.
    /// - Throws: ``DatabaseFailure``.
    package func endedSessions(of user: UserID, limit: Int = 20, at now: Instant) async throws -> [EndedSession] {
        try await database.read { try accounts.admin.sessionHistory(of: user, limit: limit, at: now, in: $0) }.ended
    }

    /// Returns why a session of the user ended; nil if it is active or has no record. For the former holder of its
    /// tokens only.
    ///
    /// - Parameter session: nil for a token that names none.
    /// - Throws: ``DatabaseFailure``.
    package func endReason(of session: SessionID?, of user: UserID) async throws -> SessionEnd.Reason? {
        guard let session else { return nil }
        let found = try await database.row(Self.endReasonLookup(session)) { ($0.text(), $0.text()) }
        guard let (owner, reason) = found, owner == user.text else { return nil }
        return SessionEnd.Reason(text: reason)
    }

    /// The same for the holder of a genuine refresh token.
    func endReason(of session: SessionID) async throws -> SessionEnd.Reason? {
        try await database.row(Self.endReasonLookup(session)) { row in
            row.skip(1)
            return SessionEnd.Reason(text: row.text())
        } ?? nil
    }

    static func endReasonLookup(_ session: SessionID) -> SQL {
        "SELECT user_id, reason FROM ended_sessions WHERE id = \(session)"
    }

    /// The end by policy of a row of `sessions`.
    private struct PolicyEnd {
        let time: SQL
        let reason: SQL
        /// Whether the session has ended.
        let isOver: SQL
    }

    /// - Returns: nil without limits.
    private func policyEnd(at now: Instant) -> PolicyEnd? {
        let byAge = policy.timebox.map { database.dialect.sum("created_at", $0) }
        let byUse = policy.inactivity.map { database.dialect.sum("coalesce(refreshed_at, created_at)", $0) }
        let isOver: SQL = """
            (created_at < \(policy.earliestStart(at: now))
                OR coalesce(refreshed_at, created_at) < \(policy.earliestUse(at: now)))
            """
        switch (byAge, byUse) {
        case (nil, nil): return nil
        case (let byAge?, nil): return PolicyEnd(time: byAge, reason: "'lifetime'", isOver: isOver)
        case (nil, let byUse?): return PolicyEnd(time: byUse, reason: "'inactivity'", isOver: isOver)
        case (let byAge?, let byUse?):
            return PolicyEnd(
                time: "CASE WHEN \(byAge) < \(byUse) THEN \(byAge) ELSE \(byUse) END",
                reason: "CASE WHEN \(byAge) < \(byUse) THEN 'lifetime' ELSE 'inactivity' END", isOver: isOver)
        }
    }

    /// Records the sessions that have ended by policy, before they are removed: with the time at which they ended.
    func recordPolicyEnds(of condition: SQL, at now: Instant, in db: any Connection) throws {
        guard let policyEnd = policyEnd(at: now) else { return }
        try db.run(
            """
            INSERT INTO ended_sessions (
                id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor)
            SELECT id, user_id, user_agent, ip, created_at, refreshed_at, \(policyEnd.time), \(policyEnd.reason), 'system'
            FROM sessions WHERE \(condition) ON CONFLICT (id) DO NOTHING
            """)
        try db.noteEnds(of: condition, at: now)
    }

    /// Records the end of the sessions that the condition selects. Their rows are still there. A session that had ended
    /// by policy before keeps that reason and time.
    func record(_ end: SessionEnd, of condition: SQL, at now: Instant, in db: any Connection) throws {
        let policyEnd = policyEnd(at: now)
        func unlessOver(_ earlier: (PolicyEnd) -> SQL, _ value: SQL) -> SQL {
            guard let policyEnd else { return value }
            return "CASE WHEN \(policyEnd.isOver) THEN \(earlier(policyEnd)) ELSE \(value) END"
        }
        let device = end.device
        try db.run(
            """
            INSERT INTO ended_sessions (
                id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor, request_id, by_agent,
                by_ip)
            SELECT id, user_id, user_agent, ip, created_at, refreshed_at, \(unlessOver(\.time, "\(now)")),
                \(unlessOver(\.reason, "\(end.reason.rawValue)")), \(unlessOver({ _ in "'system'" }, end.actorOfRow)),
                \(unlessOver({ _ in "NULL" }, "\(device?.requestID)")),
                \(unlessOver({ _ in "NULL" }, "\(device?.userAgent)")),
                \(unlessOver({ _ in "NULL" }, "\(device?.address)"))
            FROM sessions WHERE \(condition) ON CONFLICT (id) DO NOTHING
            """)
        try db.noteEnds(of: condition, at: now)
    }

    /// Deletes an account with its sessions. The revocation of the user is one for all of them.
    func delete(_ user: UserID, _ end: SessionEnd, at now: Instant, in db: any Connection) throws {
        try record(end, of: "user_id = \(user)", at: now, in: db)
        db.journal?.add(.deleted(user), at: now)
        try db.run("DELETE FROM users WHERE id = \(user)")
        try db.eraseEndedSessions(of: user)
        try db.revoke(user, at: now)
    }
}

extension SessionEnd {
    /// The actor of a row of `sessions`.
    fileprivate var actorOfRow: SQL {
        guard actor == .user, let session else { return "\(actor.rawValue)" }
        let other = SessionEnd.Actor.otherDevice.rawValue
        return "CASE WHEN id = \(session) THEN \(SessionEnd.Actor.user.rawValue) ELSE \(other) END"
    }
}

extension Dialect {
    /// A time of a column and a duration after it.
    fileprivate func sum(_ time: StaticString, _ duration: Duration) -> SQL {
        switch self {
        case .sqlite: "(\(columns: time) + \(duration.microseconds))"
        case .postgresql: "(\(columns: time) + CAST(\("\(duration.microseconds) microseconds") AS interval))"
        }
    }
}

extension Connection {
    /// Erases devices and addresses from the records of a user's ended sessions. Why and when they ended stays.
    func eraseEndedSessions(of user: UserID) throws {
        try run(
            """
            UPDATE ended_sessions SET user_agent = NULL, ip = NULL, by_agent = NULL, by_ip = NULL
            WHERE user_id = \(user)
            """)
    }
}
