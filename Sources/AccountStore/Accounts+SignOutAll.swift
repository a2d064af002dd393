import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Ends the sessions of everybody, some at a time, and with them the codes, flows and tickets that wait: after a
    /// database was set back to an earlier state, what was used or ended since then would be good again.
    ///
    /// - Parameter limit: Of sessions, so that no transaction is long.
    /// - Returns: How many sessions ended; ask again while it is not 0.
    package func endSomeSessions(limit: Int = 5_000, at now: Instant) async throws -> Int {
        try await revoking(at: now) { db in
            let count = try db.endSessions(
                where: "id IN (SELECT id FROM sessions ORDER BY id LIMIT \(limit))", at: now)
            try db.run("DELETE FROM authorization_codes")
            try db.run("DELETE FROM flow_states")
            try db.run("DELETE FROM link_tickets")
            guard count > 0 else { return 0 }
            let entry = AuditEntry(
                .logout, actor: nil, actorName: "service_role",
                traits: ["scope": "everybody", "sessions": .integer(Int64(count))])
            try record([entry], at: now, in: db)
            return count
        }
    }
}
