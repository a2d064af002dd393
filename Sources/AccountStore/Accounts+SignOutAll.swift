import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Ends sessions of all users in batches, and deletes pending codes, mailed ones too, flows and tickets. Mails with codes
    /// that wait end. For use after a restored backup, which makes spent tokens and ended sessions valid again.
    ///
    /// - Parameter limit: The batch size in sessions, which keeps each transaction short.
    /// - Returns: The number of sessions ended. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the batch may have ended.
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
                WHERE state = 'queued' AND lane IN (\(MailLane.codes.rawValue), \(MailLane.invitations.rawValue))
                """)
            guard count > 0 else { return 0 }
            let entry = AuditEntry(
                .logout, actor: nil, actorName: "service_role",
                traits: ["scope": "everybody", "sessions": .integer(Int64(count))])
            try record([entry], at: now, in: db)
            return count
        }
    }

    /// Ends waiting changes of address in batches. One without a session, such as one from before migration 30, does not end
    /// with the sessions, and a request for another code would mail it to the new address.
    ///
    /// - Returns: The number of changes ended. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the batch may have ended.
    package func endSomeAddressChanges(limit: Int = 1_000, at now: Instant) async throws -> Int {
        try await database.write { db in
            let users = try db.rows("SELECT id FROM users WHERE new_email IS NOT NULL LIMIT \(limit)") { row in
                row.id() as UserID
            }
            for user in users { try db.endAddressChange(of: user, at: now) }
            return users.count
        }
    }
}
