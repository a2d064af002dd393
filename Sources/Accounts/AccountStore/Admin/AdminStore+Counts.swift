import GatehouseWire
import SQLDatabase

/// How many accounts there are, at a cost that does not depend on it.
package struct AccountCounts: Sendable {
    package struct Count: Sendable, Equatable {
        package let number: Int
        package let precision: Precision

        package init(number: Int, precision: Precision) { (self.number, self.precision) = (number, precision) }
    }

    /// Raw values are the admin API's.
    package enum Precision: String, Sendable {
        case exact
        /// By the database's statistics.
        case about
        case atLeast = "at_least"
    }

    package let total: Count
    /// The rare ones; banned accounts include those whose ban is over.
    package let states: [(state: AccountSearch.State, count: Count)]
}

extension AdminStore {
    private static let exactTotal = 10_000
    private static let exactState = 1_000

    /// Exact up to 10,000 accounts, and 1,000 in a state. Includes soft-deleted ones.
    package func counts() async throws -> AccountCounts {
        let dialect = database.dialect
        return try await database.read { db in
            func count(_ query: SQL) throws -> Int { try db.row(query) { Int($0.int()) } ?? 0 }
            let some = try count(Self.firstAccounts(Self.exactTotal + 1))
            var total = AccountCounts.Count(number: some, precision: .exact)
            if some > Self.exactTotal {
                total = AccountCounts.Count(
                    number: max(some, try count(Self.estimatedTotal(dialect))), precision: .about)
            }
            let states: [AccountSearch.State] = [.unconfirmed, .banned, .anonymous, .deleted]
            return AccountCounts(
                total: total,
                states: try states.map { state in
                    let number = try count(Self.firstAccounts(in: state, Self.exactState + 1))
                    let isExact = number <= Self.exactState
                    return (
                        state,
                        AccountCounts.Count(
                            number: min(number, Self.exactState), precision: isExact ? .exact : .atLeast)
                    )
                })
        }
    }

    private static func firstAccounts(_ limit: Int) -> SQL {
        """
        SELECT count(*) FROM (
            SELECT 1 FROM users WHERE created_at < \(beforeNewest.0) ORDER BY created_at LIMIT \(limit)) AS found
        """
    }

    private static func firstAccounts(in state: AccountSearch.State, _ limit: Int) -> SQL {
        let indexed = SearchIndexes.rarely(state) ?? "1 = 1"
        return """
            SELECT count(*) FROM (
                SELECT 1 FROM users WHERE created_at < \(beforeNewest.0) AND \(columns: indexed)
                ORDER BY created_at LIMIT \(limit)) AS found
            """
    }

    /// SQLite numbers rows, and does not count deleted ones out.
    private static func estimatedTotal(_ dialect: Dialect) -> SQL {
        switch dialect {
        case .sqlite: "SELECT max(rowid) FROM users"
        case .postgresql: "SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = CAST('users' AS regclass)"
        }
    }
}
