package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension SessionStore {
    package static let mostEndedSessions = 100

    /// Newest end first, including sessions that ended by policy and still have a row. A deleted account's records have
    /// no devices and addresses.
    ///
    /// - Parameter limit: 1 to ``mostEndedSessions``.
    package func endedSessions(of user: UserID, limit: Int = 20, at now: Instant) async throws -> [EndedSession] {
        try await database.read { try accounts.admin.sessionHistory(of: user, limit: limit, at: now, in: $0) }.ended
    }

    /// Why a session ended; nil if it is active or has no record. Only for the former holder of its tokens.
    package func endReason(of session: SessionID?, of user: UserID) async throws -> SessionEnd.Reason? {
        guard let session else { return nil }
        let found = try await database.row(Self.endReasonLookup(session)) { ($0.text(), $0.text()) }
        guard let (owner, reason) = found, owner == user.text else { return nil }
        return SessionEnd.Reason(text: reason)
    }

    /// For the holder of a genuine refresh token.
    func endReason(of session: SessionID) async throws -> SessionEnd.Reason? {
        try await database.row(Self.endReasonLookup(session)) { row in
            row.skip(1)
            return SessionEnd.Reason(text: row.text())
        } ?? nil
    }

    static func endReasonLookup(_ session: SessionID) -> SQL {
        "SELECT user_id, reason FROM ended_sessions WHERE id = \(session)"
    }

    private struct PolicyEnd {
        let time: SQL
        let reason: SQL
        let isOver: SQL
    }

    private func policyEnd(at now: Instant) -> PolicyEnd {
        let isOver: SQL = "ends_at < \(now)"
        guard let limits = commonEnd(at: now) else {
            return PolicyEnd(time: "ends_at", reason: "'lifetime'", isOver: isOver)
        }
        let isOwn: SQL = "ends_at < \(limits.time)"
        return PolicyEnd(
            time: "CASE WHEN \(isOwn) THEN ends_at ELSE \(limits.time) END",
            reason: "CASE WHEN \(isOwn) THEN 'lifetime' ELSE \(limits.reason) END",
            isOver: "(\(limits.isOver) OR \(isOver))")
    }

    /// - Returns: nil without limits of all sessions.
    private func commonEnd(at now: Instant) -> PolicyEnd? {
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

    /// Records sessions that have ended by policy. Call before they are removed.
    func recordPolicyEnds(of condition: SQL, at now: Instant, in db: any Connection) throws {
        let policyEnd = policyEnd(at: now)
        try db.run(
            """
            INSERT INTO ended_sessions (
                id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor, parent_id, child)
            SELECT id, user_id, user_agent, ip, created_at, refreshed_at, \(policyEnd.time), \(policyEnd.reason),
                'system', parent_id, child
            FROM sessions WHERE \(condition) ON CONFLICT (id) DO NOTHING
            """)
        try db.noteEnds(of: condition, at: now)
    }

    /// Records the end of the condition's sessions, whose rows must still exist. A session that already ended by policy
    /// keeps that reason and time.
    func record(_ end: SessionEnd, of condition: SQL, at now: Instant, in db: any Connection) throws {
        let policyEnd = policyEnd(at: now)
        func unlessOver(_ earlier: (PolicyEnd) -> SQL, _ value: SQL) -> SQL {
            "CASE WHEN \(policyEnd.isOver) THEN \(earlier(policyEnd)) ELSE \(value) END"
        }
        let device = end.device
        try db.run(
            """
            INSERT INTO ended_sessions (
                id, user_id, user_agent, ip, created_at, refreshed_at, ended_at, reason, actor, request_id, by_agent,
                by_ip, parent_id, child)
            SELECT id, user_id, user_agent, ip, created_at, refreshed_at, \(unlessOver(\.time, "\(now)")),
                \(unlessOver(\.reason, "\(end.reason.rawValue)")), \(unlessOver({ _ in "'system'" }, end.actorOfRow)),
                \(unlessOver({ _ in "NULL" }, "\(device?.requestID)")),
                \(unlessOver({ _ in "NULL" }, "\(device?.userAgent)")),
                \(unlessOver({ _ in "NULL" }, "\(device?.address)")), parent_id, child
            FROM sessions WHERE \(condition) ON CONFLICT (id) DO NOTHING
            """)
        try db.noteEnds(of: condition, at: now)
    }

    /// One revocation covers all of the account's sessions.
    func delete(_ user: UserID, _ end: SessionEnd, at now: Instant, in db: any Connection) throws {
        try record(end, of: "user_id = \(user)", at: now, in: db)
        db.journal?.add(.deleted(user), at: now)
        try db.run("DELETE FROM users WHERE id = \(user)")
        try db.eraseEndedSessions(of: user)
        try db.revoke(user, at: now)
    }
}

extension SessionEnd {
    fileprivate var actorOfRow: SQL {
        guard actor == .user, let session else { return "\(actor.rawValue)" }
        let other = SessionEnd.Actor.otherDevice.rawValue
        return "CASE WHEN id = \(session) THEN \(SessionEnd.Actor.user.rawValue) ELSE \(other) END"
    }
}

extension Dialect {
    fileprivate func sum(_ time: StaticString, _ duration: Duration) -> SQL {
        switch self {
        case .sqlite: "(\(columns: time) + \(duration.microseconds))"
        case .postgresql: "(\(columns: time) + CAST(\("\(duration.microseconds) microseconds") AS interval))"
        }
    }
}

extension Connection {
    func eraseEndedSessions(of user: UserID) throws {
        try run(
            """
            UPDATE ended_sessions SET user_agent = NULL, ip = NULL, by_agent = NULL, by_ip = NULL, child = NULL
            WHERE user_id = \(user)
            """)
    }
}
