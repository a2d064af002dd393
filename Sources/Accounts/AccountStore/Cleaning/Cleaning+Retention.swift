package import GatehouseWire
import SQLDatabase

extension Cleaning {
    /// Deletes rows that are older than ``retention`` allows: from each table one batch, in a separate transaction, so
    /// that no request waits for long. A table that fails does not stop the others. Only one node at a time runs it; on
    /// other nodes the call returns immediately.
    ///
    /// - Parameter limit: The maximum number of rows of each table.
    /// - Returns: The number of rows deleted. Call again after a pause until it is 0.
    /// - Throws: ``DatabaseFailure`` of the last table that failed, once no other table has rows to delete.
    package func removeOutdated(limit: Int = 200, at now: Instant) async throws -> Int {
        try await database.exclusively("retention", waits: false) {
            var (removed, failure): (Int, (any Error)?) = (0, nil)
            for retained in RetainedRows.all {
                guard let stay = retained.stay(retention) else { continue }
                do {
                    let removal = retained.rows.removal(through: retained.last(now - stay), limit: limit)
                    removed += try await database.write { db in try db.run(removal) }
                } catch {
                    failure = error
                }
            }
            if removed == 0, let failure { throw failure }
            return removed
        } ?? 0
    }
}
