package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension Accounts {
    /// Returns accounts, newest first, starting after `last`. Each page costs the same, however many accounts there
    /// are. Accounts created during the iteration are skipped; no account appears twice.
    ///
    /// - Parameters:
    ///   - filter: A substring of the email address, or of `user_metadata.full_name` ignoring case. No index supports
    ///     it.
    ///   - limit: 1 to 1,000; other values are clamped.
    /// - Throws: ``DatabaseFailure``.
    package func newest(after last: User?, filter: String?, limit: Int) async throws -> [Account] {
        let statement = Self.newestLookup(after: last, filter: filter, limit: min(max(1, limit), 1_000))
        return try await database.accounts(statement)
    }

    /// Where a list that begins with the newest account starts: at the year 10000, later than any time, and at an id that no
    /// other exceeds.
    static let beforeNewest = (
        Instant(seconds: 253_402_300_800), UserID(trusted: "ffffffff-ffff-ffff-ffff-ffffffffffff")
    )

    static func newestLookup(after last: User?, filter: String?, limit: Int) -> SQL {
        let pattern = filter.map { containing($0) }
        let (time, id) = last.map { ($0.times.createdAt, $0.id) } ?? beforeNewest
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
