package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension MailQueue {
    /// For metrics and `doctor`.
    package func mailBacklog() async throws -> (count: Int, oldest: Instant?) {
        try await database.row("SELECT count(*), min(created_at) FROM mail_outbox WHERE state = 'queued'") {
            (Int($0.int()), $0.instantIfPresent())
        } ?? (0, nil)
    }

    /// nil if no email waits for this reason.
    package func lastWaitingMail(_ lane: MailLane, _ reason: String, at now: Instant) async throws -> Instant? {
        try await database.row(Self.lastWaiting(lane, reason, at: now)) { $0.instant() }
    }

    /// Including sent ones.
    package func mails(limit: Int) async throws -> [MailStatus] {
        try await database.rows(
            """
            SELECT id, kind, state, reason, attempts, next_at, created_at, ended_at FROM mail_outbox
            ORDER BY created_at DESC, id DESC LIMIT \(limit)
            """
        ) { row in
            MailStatus(
                id: row.text(), kind: row.text(), state: row.text(), reason: row.textIfPresent(),
                attempts: Int(row.int()), nextAt: row.instant(), createdAt: row.instant(),
                endedAt: row.instantIfPresent())
        }
    }

    /// Makes queued emails due immediately, except those that a node is sending.
    ///
    /// - Parameters:
    ///   - id: nil for all.
    ///   - entry: Recorded if there is an email.
    package func retryMails(_ id: String?, recording entry: AuditEntry? = nil, at now: Instant) async throws -> Int {
        try await database.write { db in
            let count = try db.run(
                """
                UPDATE mail_outbox SET next_at = \(now)
                WHERE state = 'queued' AND next_at > \(now) AND reason IS NOT NULL AND \(Self.isMail(id))
                """)
            return try recorded(entry, of: count, at: now, in: db)
        }
    }

    /// Ends queued emails unsent, and erases their content.
    ///
    /// - Parameters:
    ///   - id: nil for all.
    ///   - entry: Recorded if there is an email.
    package func dropMails(_ id: String?, recording entry: AuditEntry? = nil, at now: Instant) async throws -> Int {
        try await database.write { db in
            let count = try db.run(
                """
                UPDATE mail_outbox SET state = 'failed', reason = 'dropped', sealed = NULL, ended_at = \(now)
                WHERE state = 'queued' AND \(Self.isMail(id))
                """)
            return try recorded(entry, of: count, at: now, in: db)
        }
    }

    func recorded(_ entry: AuditEntry?, of count: Int, at now: Instant, in db: any Connection) throws -> Int {
        if let entry, count > 0 { try accounts.record([entry], at: now, in: db) }
        return count
    }

    /// Ends the user's emails, because the account is deleted or loses its address. Other accounts may have emails to
    /// the address of a pending change.
    func dropMails(to user: User, at now: Instant, in db: any Connection) throws {
        let own = [user.email, user.phone].compactMap(\.self).compactMap(Recipient.init)
        for recipient in own {
            try db.run(
                """
                UPDATE mail_outbox SET state = 'failed', reason = 'account deleted', sealed = NULL, ended_at = \(now)
                WHERE place = \(secrets.mark(of: recipient)) AND ended_at IS NULL
                """)
        }
        for recipient in [user.newEmail, user.newPhone].compactMap(\.self).compactMap(Recipient.init) {
            try db.run(
                """
                UPDATE mail_outbox SET state = 'failed', reason = 'account deleted', sealed = NULL, ended_at = \(now)
                WHERE place = \(secrets.mark(of: recipient)) AND ended_at IS NULL AND user_id = \(user.id)
                """)
        }
    }

    private static func isMail(_ id: String?) -> SQL {
        guard let id else { return "1 = 1" }
        return "id = \(id)"
    }
}
