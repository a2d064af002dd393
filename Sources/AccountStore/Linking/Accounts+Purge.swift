package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Removes what has run out: flows, codes, tickets, the time to take links back, providers' notices, used ID
    /// tokens, revocations. Whatever adds one mostly removes some; this is for those that nobody comes to remove in
    /// passing. Of nodes that share the database one does it at a time, and for the others there is nothing to do.
    ///
    /// - Parameter limit: Of each kind, so that no transaction is long.
    /// - Returns: How many rows went; ask again while it is not 0.
    package func purgeExpired(limit: Int = 500, at now: Instant) async throws -> Int {
        try await database.exclusively("purge", waits: false) {
            try await database.write { db in
                try ExpiringRows.allCases.reduce(0) { $0 + (try db.removeExpired(from: $1, at: now, limit: limit)) }
            }
        } ?? 0
    }
}
