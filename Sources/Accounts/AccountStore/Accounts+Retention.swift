package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Rows that stay as long as a setting says. A new table is an entry of ``all``, with an index on its time.
package struct RetainedRows: Sendable {
    package let table: String
    let stay: @Sendable (Retention) -> Duration?
    /// Deletes the oldest rows from before a moment, by the index.
    package let removal: @Sendable (_ moment: Instant, _ limit: Int) -> SQL

    /// The log comes last: on PostgreSQL its deletion needs a grant of its own (Deploy/postgresql).
    package static let all = [endedSessions, mails, deliveries, activity, auditLog]

    private static let endedSessions = RetainedRows(table: "ended_sessions", stay: { $0.endedSessions }) {
        """
        DELETE FROM ended_sessions WHERE id IN (
            SELECT id FROM ended_sessions WHERE ended_at < \($0) ORDER BY ended_at LIMIT \($1) \(.skippingLocked))
        """
    }

    private static let mails = RetainedRows(table: "mail_outbox", stay: { $0.mails }) {
        """
        DELETE FROM mail_outbox WHERE id IN (
            SELECT id FROM mail_outbox WHERE state <> 'queued' AND ended_at < \($0)
            ORDER BY ended_at LIMIT \($1) \(.skippingLocked))
        """
    }

    private static let deliveries = RetainedRows(table: "webhook_deliveries", stay: { $0.deliveries }) {
        """
        DELETE FROM webhook_deliveries WHERE id IN (
            SELECT id FROM webhook_deliveries WHERE state <> 'queued' AND ended_at < \($0)
            ORDER BY ended_at LIMIT \($1) \(.skippingLocked))
        """
    }

    private static let activity = RetainedRows(table: "activity_counts", stay: { $0.telemetry }) {
        """
        DELETE FROM activity_counts WHERE (hour, name, label, detail) IN (
            SELECT hour, name, label, detail FROM activity_counts WHERE hour < \($0.microseconds / ActivityCounts.hour)
            ORDER BY hour LIMIT \($1) \(.skippingLocked))
        """
    }

    private static let auditLog = RetainedRows(table: "audit_log", stay: { $0.auditLog }) {
        """
        DELETE FROM audit_log WHERE id IN (
            SELECT id FROM audit_log WHERE created_at < \($0) ORDER BY created_at LIMIT \($1))
        """
    }
}

extension Accounts {
    /// Deletes rows that are older than ``retention`` allows: from each table one batch, in a transaction of its own, so
    /// that no request waits for long. A table that fails does not stop the others. Only one node at a time runs it; on
    /// other nodes the call returns immediately.
    ///
    /// - Parameter limit: The maximum number of rows of each table.
    /// - Returns: The number of rows deleted. Call again after a pause until it is 0.
    /// - Throws: ``DatabaseFailure`` of the last table that failed, once no other table has rows to delete.
    package func removeOutdated(limit: Int = 200, at now: Instant) async throws -> Int {
        try await database.exclusively("retention", waits: false) {
            var (removed, failure): (Int, (any Error)?) = (0, nil)
            for rows in RetainedRows.all {
                guard let stay = rows.stay(retention) else { continue }
                do {
                    removed += try await database.write { db in try db.run(rows.removal(now - stay, limit)) }
                } catch {
                    failure = error
                }
            }
            if removed == 0, let failure { throw failure }
            return removed
        } ?? 0
    }
}
