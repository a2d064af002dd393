package import GatehouseWire
import SQLDatabase

extension Cleaning {
    /// Deletes expired flows, codes, tickets, link undo records, notices, used ID tokens and revocations. Most inserts
    /// delete expired rows as well; this covers tables without new inserts. Ends expired mails that no node works on, and makes
    /// due what a clock that was ahead put off. Only one node at a time runs it; on other nodes the call returns
    /// immediately.
    ///
    /// - Parameter limit: The maximum number of rows of each kind, which keeps the transaction short.
    /// - Returns: The number of rows deleted or changed. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rows.
    package func purgeExpired(limit: Int = 500, at now: Instant) async throws -> Int {
        try await database.exclusively("purge", waits: false) {
            try await database.write { db in
                let changed =
                    try db.endExpiredMails(at: now, limit: limit) + db.makeDue(at: now, limit: limit)
                    + db.endExpiredDeliveries(at: now, limit: limit) + db.removeUnverified(at: now, limit: limit)
                return try ExpiringRows.all.reduce(changed) {
                    $0 + (try db.removeExpired(from: $1, at: now, limit: limit))
                }
            }
        } ?? 0
    }
}

extension Connection {
    /// Ends mails that expired unsent, for example because mail was switched off, and erases what they say.
    fileprivate func endExpiredMails(at now: Instant, limit: Int) throws -> Int {
        try run(
            """
            UPDATE mail_outbox SET state = 'failed', reason = 'expired', sealed = NULL, ended_at = \(now)
            WHERE id IN (
                SELECT id FROM mail_outbox WHERE state = 'queued' AND next_at <= \(now) AND expires_at <= \(now)
                LIMIT \(limit) \(.skippingLocked))
            """)
    }
}
