package import GatehouseWire
import SQLDatabase

extension Cleaning {
    /// Deletes rows older than ``retention`` allows, one batch per table in separate transactions. A failing table does
    /// not stop the others. Returns immediately if another node runs it.
    ///
    /// - Parameter limit: Per table.
    /// - Returns: The rows deleted. Call again after a pause until it is 0.
    /// - Throws: The last failed table's error, once no other table has rows to delete.
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
