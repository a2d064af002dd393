package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Deletes expired flows, codes, tickets, link undo records, notices, used ID tokens and revocations. Most inserts
    /// delete expired rows too; this covers tables without new inserts. Only one node at a time runs it; on other nodes
    /// the call returns immediately.
    ///
    /// - Parameter limit: The maximum number of rows of each kind, which keeps the transaction short.
    /// - Returns: The number of rows deleted. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. The next call deletes the rows.
    package func purgeExpired(limit: Int = 500, at now: Instant) async throws -> Int {
        try await database.exclusively("purge", waits: false) {
            try await database.write { db in
                try ExpiringRows.allCases.reduce(0) { $0 + (try db.removeExpired(from: $1, at: now, limit: limit)) }
            }
        } ?? 0
    }
}
