package import AccountDomain
package import GatehouseWire
package import SQLDatabase

package struct SessionOnDevice: Sendable {
    package let session: Session
    package let device: Device
}

extension SessionStore {
    /// Newest sign-in first, at most 100, without sessions that have ended by policy.
    package func sessions(of user: UserID, at now: Instant) async throws -> [SessionOnDevice] {
        let all = try await database.rows(Self.sessionsLookup(user)) { row in
            SessionOnDevice(
                session: row.session(), device: Device(userAgent: row.textIfPresent(), address: row.textIfPresent()))
        }
        let ended = Set<SessionID>(all.lazy.map(\.session).filter { policy.hasEnded($0, at: now) }.map(\.id))
        return all.filter { found in
            !ended.contains(found.session.id) && found.session.child.map { !ended.contains($0.parent) } ?? true
        }
    }

    /// Ends one session. From another session, also ends a pending change of address, whichever session began it.
    ///
    /// - Parameters:
    ///   - level: The user's. Below the user's second factor, another session that had it does not end.
    ///   - end: nil for the user.
    /// - Returns: Whether the user had the session, and the level was high enough.
    package func endSession(
        _ id: SessionID, of user: UserID, name: String, by caller: SessionID? = nil, level: AssuranceLevel? = nil,
        from device: Device? = nil, as end: SessionEnd? = nil, at now: Instant
    ) async throws -> Bool {
        // A change without a session may have begun in this one.
        let endsChange = end == nil && caller != id
        return try await revoking(at: now) { db in
            let end = end ?? .byUser(.signedOut, in: caller, from: device)
            let isLow = try caller != id && level.map { try $0 < .aal2 && db.hasSecondFactor(user) } ?? false
            let condition: SQL = isLow ? "AND aal = 'aal1'" : ""
            let ended = try endSessions(where: "id = \(id) AND user_id = \(user) \(condition)", end, at: now, in: db)
            guard ended == 1 else { return false }
            if endsChange, !isLow { try db.endChanges(of: user, at: now) }
            let logout = AuditEntry(
                .logout, actor: user, actorName: name, traits: Self.traits(of: end, ["session_id": .string(id.text)]))
            try accounts.record([logout], at: now, in: db)
            return true
        }
    }

    /// Adds the reason unless the end is the user's own act.
    static func traits(of end: SessionEnd?, _ traits: AuthJSONObject = [:]) -> AuthJSONObject {
        guard let end, end.actor == .system else { return traits }
        var traits = traits
        traits["reason"] = .string(end.reason.rawValue)
        return traits
    }

    static func sessionsLookup(_ user: UserID) -> SQL {
        """
        SELECT \(columns: Accounts.sessionColumns), sessions.user_agent, sessions.ip FROM sessions
        WHERE sessions.user_id = \(user) ORDER BY sessions.created_at DESC, sessions.id LIMIT 100
        """
    }
}
