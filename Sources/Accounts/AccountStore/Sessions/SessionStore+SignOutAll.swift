package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension SessionStore {
    /// Ends sessions of all users, deletes pending codes, flows and tickets, and ends queued emails with codes. For a
    /// restored backup, which makes used tokens and ended sessions valid again.
    ///
    /// - Parameter limit: Sessions per batch.
    /// - Returns: The number of sessions. Call again until it is 0.
    package func endSomeSessions(limit: Int = 5_000, at now: Instant) async throws -> Int {
        try await revoking(at: now) { db in
            let count = try endSessions(
                where: "id IN (SELECT id FROM sessions ORDER BY id LIMIT \(limit))",
                .byAdministrator(.everybodySignedOut, from: nil), at: now, in: db)
            try db.run("DELETE FROM authorization_codes")
            try db.run("DELETE FROM flow_states")
            try db.run("DELETE FROM link_tickets")
            try db.run("DELETE FROM one_time_tokens")
            try db.run("DELETE FROM factor_challenges")
            try db.run(
                """
                UPDATE mail_outbox SET state = 'failed', reason = 'all users were signed out', sealed = NULL,
                    ended_at = \(now)
                WHERE state = 'queued' AND lane <> \(MailLane.notices.rawValue)
                """)
            guard count > 0 else { return 0 }
            let entry = AuditEntry(
                .logout, actor: nil, actorName: "service_role",
                traits: ["scope": "everybody", "sessions": .integer(Int64(count))])
            try accounts.record([entry], at: now, in: db)
            return count
        }
    }

    /// Ends pending changes of address. A change without a session, such as one older than migration 30, does not end
    /// with the sessions, and a request for another code would email it to the new address.
    ///
    /// - Parameter limit: Users per batch.
    /// - Returns: The `last` of the next call; nil at the end.
    package func endAddressChanges(after last: UserID?, limit: Int = 5_000, at now: Instant) async throws -> UserID? {
        try await database.write { db in
            let rest: SQL = last.map { "WHERE id > \($0)" } ?? ""
            let page = try db.rows(
                "SELECT id, coalesce(new_email, new_phone) FROM users \(rest) ORDER BY id LIMIT \(limit)"
            ) { row in
                (user: row.id() as UserID, isChanging: row.textIfPresent() != nil)
            }
            for one in page where one.isChanging {
                try db.endChanges(of: one.user, at: now)
            }
            return page.last?.user
        }
    }
}
