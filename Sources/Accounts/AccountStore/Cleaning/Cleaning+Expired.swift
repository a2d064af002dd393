import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Cleaning {
    /// Deletes expired rows. Most inserts do the same; this covers tables without new inserts. Ends expired emails that
    /// no node works on, and makes due what a clock that was ahead put off. Returns immediately if another node runs
    /// it.
    ///
    /// - Parameter limit: Per kind, which keeps the transaction short.
    /// - Returns: The rows deleted or changed. Call again until it is 0.
    package func purgeExpired(limit: Int = 500, at now: Instant) async throws -> Int {
        try await database.exclusively("purge", waits: false) {
            try await database.write { db in
                let changed =
                    try db.endExpiredMails(at: now, limit: limit) + db.makeDue(at: now, limit: limit)
                    + db.endExpiredDeliveries(at: now, limit: limit) + db.removeUnverified(at: now, limit: limit)
                    + db.removeUnusedClients(at: now, limit: limit)
                return try ExpiringRows.all.reduce(changed) {
                    $0 + (try db.removeExpired(from: $1, at: now, limit: limit))
                }
            }
        } ?? 0
    }
}

extension Connection {
    /// Clients that registered themselves, which no user has let in for 30 days.
    fileprivate func removeUnusedClients(at now: Instant, limit: Int) throws -> Int {
        let unused: [OAuthClientID] = try rows(
            """
            SELECT id FROM oauth_clients
            WHERE registration <> 'manual' AND is_verified = 0 AND updated_at <= \(now - .seconds(30 * 86_400))
                AND (SELECT 1 FROM oauth_consents WHERE client_id = oauth_clients.id LIMIT 1) IS NULL
                AND (SELECT 1 FROM oauth_authorizations WHERE client_id = oauth_clients.id LIMIT 1) IS NULL
            ORDER BY updated_at LIMIT \(limit) \(.skippingLocked)
            """
        ) { $0.id() }
        return try unused.reduce(0) { $0 + (try run("DELETE FROM oauth_clients WHERE id = \($1)")) }
    }

    /// Ends emails that expired unsent, such as after email was switched off, and erases their content.
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
