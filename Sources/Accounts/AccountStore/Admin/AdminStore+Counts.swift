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

    /// Exact up to 10,000 accounts, and 1,000 in a state. Includes soft-deleted ones. Two statements at most.
    package func counts() async throws -> AccountCounts {
        let dialect = database.dialect
        return try await database.read { db in
            let numbers =
                try db.row(Self.countQuery) { row in (0...Self.countedStates.count).map { _ in Int(row.int()) } } ?? []
            return AccountCounts(
                total: try Self.total(numbers.first ?? 0, dialect, in: db),
                states: zip(Self.countedStates, numbers.dropFirst()).map { state, number in
                    let precision = number <= Self.exactState ? AccountCounts.Precision.exact : .atLeast
                    return (state, AccountCounts.Count(number: min(number, Self.exactState), precision: precision))
                })
        }
    }

    /// - Parameter some: The value of ``firstAccounts``.
    static func total(_ some: Int, _ dialect: Dialect, in db: any Connection) throws -> AccountCounts.Count {
        guard some > exactTotal else { return AccountCounts.Count(number: some, precision: .exact) }
        let estimate = try db.row(estimatedTotal(dialect)) { Int($0.int()) } ?? 0
        return AccountCounts.Count(number: max(some, estimate), precision: .about)
    }

    static var firstAccounts: SQL { first("1 = 1", exactTotal + 1) }

    private static let countedStates: [AccountSearch.State] = [.unconfirmed, .banned, .anonymous, .deleted]

    private static var countQuery: SQL {
        countedStates.reduce("SELECT \(firstAccounts)") { query, state in
            "\(query), \(first(SearchIndexes.rarely(state) ?? "1 = 1", exactState + 1))"
        }
    }

    private static func first(_ condition: StaticString, _ limit: Int) -> SQL {
        """
        (SELECT count(*) FROM (
            SELECT 1 FROM users WHERE created_at < \(beforeNewest.0) AND \(columns: condition)
            ORDER BY created_at LIMIT \(limit)) AS found)
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
