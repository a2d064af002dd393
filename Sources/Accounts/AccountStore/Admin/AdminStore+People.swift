package import GatehouseWire
import SQLDatabase

/// Accounts and ends of sessions in a period, at a bounded cost: each number is at most ``most``.
package struct PeopleFigures: Sendable {
    package struct Ends: Sendable {
        package let reason: String
        package let count: Int
    }

    package let total: AccountCounts.Count
    /// Created in the period.
    package let new: Int
    /// Created in as long a time before the period.
    package let newBefore: Int
    /// The most frequent first.
    package let ends: [Ends]

    package static let most = 10_000
}

extension AdminStore {
    /// Three statements at most. Includes soft-deleted accounts.
    package func people(from: Instant, until: Instant) async throws -> PeopleFigures {
        let dialect = database.dialect
        return try await database.read { db in
            let created =
                try db.row(
                    """
                    SELECT \(Self.created(from: from, until: until)),
                        \(Self.created(from: from - (until - from), until: from)), \(Self.firstAccounts)
                    """
                ) { (Int($0.int()), Int($0.int()), Int($0.int())) } ?? (0, 0, 0)
            let ends = try db.rows(
                """
                SELECT reason, count(*) FROM (
                    SELECT reason FROM ended_sessions WHERE ended_at >= \(from) AND ended_at < \(until)
                    ORDER BY ended_at DESC LIMIT \(PeopleFigures.most)) AS ended
                GROUP BY reason
                """
            ) { PeopleFigures.Ends(reason: $0.text(), count: Int($0.int())) }
            return PeopleFigures(
                total: try Self.total(created.2, dialect, in: db), new: created.0, newBefore: created.1,
                ends: ends.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) })
        }
    }

    private static func created(from: Instant, until: Instant) -> SQL {
        """
        (SELECT count(*) FROM (
            SELECT 1 FROM users WHERE created_at >= \(from) AND created_at < \(until)
            ORDER BY created_at LIMIT \(PeopleFigures.most)) AS created)
        """
    }
}
