package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Accounts, newest first, after the last one of the page before: each page costs the same, however many there are.
    /// One that comes meanwhile is missed, none is told twice.
    ///
    /// - Parameters:
    ///   - filter: A part of the address, or, without regard to case, of `user_metadata.full_name`; no index helps it.
    ///   - limit: 1 to 1,000.
    package func newest(after last: User?, filter: String?, limit: Int) async throws -> [Account] {
        let statement = Self.newestLookup(after: last, filter: filter, limit: min(max(1, limit), 1_000))
        return try await database.read { db in try db.accounts(statement) }
    }

    static func newestLookup(after last: User?, filter: String?, limit: Int) -> SQL {
        let pattern = filter.map { containing($0) }
        // Before all: later than any clock, greater than any id.
        let time = last?.times.createdAt ?? Instant(seconds: 253_402_300_799)
        let id = last?.id ?? UserID(trusted: "ffffffff-ffff-ffff-ffff-ffffffffffff")
        return """
            SELECT \(columns: userColumns), \(columns: identityColumns)
            FROM users LEFT JOIN identities ON identities.user_id = users.id
            WHERE users.id IN (
                SELECT id FROM users
                WHERE (created_at, id) < (\(time), \(id)) AND (
                    \(pattern) IS NULL OR email LIKE lower(\(pattern)) ESCAPE '\\'
                    OR lower(user_metadata ->> 'full_name') LIKE lower(\(pattern)) ESCAPE '\\')
                ORDER BY created_at DESC, id DESC LIMIT \(limit))
            ORDER BY users.created_at DESC, users.id DESC, identities.created_at, identities.id
            """
    }
}
