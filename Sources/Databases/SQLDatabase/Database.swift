/// ```swift
/// let count = try await database.write { db in
///     try db.run("DELETE FROM sessions WHERE user_id = \(user.text)")
/// }
/// ```
package protocol Database: Sendable {
    /// Commits when `body` returns, rolls back when it throws. Returns after the commit is durable.
    ///
    /// `body` is synchronous, so it cannot hold locks while waiting for a network, a hash or a user. It may run again,
    /// for example after a serialization failure, so it must be deterministic without side effects outside of the
    /// transaction. After a failed statement it must end, because some databases abort the transaction.
    ///
    /// - Throws: Errors of `body`, ``DatabaseFailure``, and `CancellationError` if the driver can still stop. Nothing
    ///   has changed, except with ``DatabaseFailure/Reason/unknownOutcome``.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

    /// Like ``write(_:)``, but each statement sees what was committed before it (READ COMMITTED), so reads cause no
    /// conflicts. For queues, which many transactions read and write in the same place: a change's condition must be in
    /// its own `WHERE`.
    func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value

    /// On a consistent snapshot, with the requirements of ``write(_:)``.
    ///
    /// - Throws: Errors of `body`, ``DatabaseFailure``, and `CancellationError`.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

    /// Runs one query on a consistent snapshot, and combines its rows in order. Costs less than ``read(_:)``, because a
    /// driver may send it with other callers' queries.
    ///
    /// - Parameter combine: Adds a row, of which it reads all columns or none. May run again from `initial`.
    /// - Throws: Errors of `combine`, ``DatabaseFailure``, and `CancellationError`.
    func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result

    /// Changes rows with one statement and then runs a query, in one transaction that may share its commit with others.
    /// Both see the changes committed so far; the query also sees changes that share the commit. The statement waits
    /// for other transactions on the same row, so its conditions must be in its `WHERE`.
    ///
    /// A database may run the statement for several callers together: it changes a row for only one of them and reports
    /// 0 to the others. Therefore the `WHERE` must no longer hold after the change.
    ///
    /// - Parameters:
    ///   - statement: An `UPDATE` or `DELETE` with ``Clause/ofMany`` before its `WHERE`. Values other than numbers,
    ///     instants and bytes are text and need a cast where another type is expected. The last bound text identifies
    ///     the row, so that all callers lock rows in the same order.
    ///   - query: A `SELECT` with the same clause. Its rows have no order.
    /// - Returns: The number of rows changed, and the rows of the query.
    /// - Throws: As ``write(_:)``.
    func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found>

    /// A write that changes tables, which may take long. If a table is locked, it releases its own locks and retries,
    /// so as not to block others.
    ///
    /// - Throws: As ``write(_:)``.
    func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value

    /// - Parameter statements: `CREATE INDEX` statements without values.
    /// - Returns: Those whose index is missing or half-built.
    /// - Throws: As ``read(_:)``.
    func unbuiltIndexes(of statements: [SQL]) async throws -> [SQL]

    /// Builds an index while others change its table. Takes as long as the table is large.
    ///
    /// - Throws: As ``changeSchema(_:)``; the next call starts over.
    func buildIndex(_ statement: SQL) async throws

    /// Runs `work` while holding the database-wide lock `name`. Releases the lock before it returns, or a little later
    /// if the database is unreachable.
    ///
    /// - Returns: nil if another holder has the lock and `waits` is false.
    /// - Throws: Errors of `work`; and, before `work` runs, ``DatabaseFailure`` and `CancellationError`.
    func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value?

    var dialect: Dialect { get }
}

extension Database {
    package func rows<Value: Sendable>(
        _ query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Value
    ) async throws -> [Value] {
        try await rows(query, into: []) { values, row in values.append(try decode(&row)) }
    }

    package func row<Value: Sendable>(
        _ query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Value
    ) async throws -> Value? {
        try await rows(query, decode).first
    }

    /// For databases that treat all reads alike.
    package func rows<Result: Sendable>(
        _ query: SQL, into initial: Result, _ combine: @escaping @Sendable (inout Result, inout Row) throws -> Void
    ) async throws -> Result {
        try await read { db in try db.rows(query, into: initial, combine) }
    }

    /// For databases that treat all writes alike.
    package func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (inout Row) throws -> Found
    ) async throws -> Changed<Found> {
        try await write { db in Changed(count: try db.run(statement), found: try db.rows(query, decode)) }
    }

    /// For databases that run one write at a time.
    package func writeCommitted<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// For databases that treat a schema change like any other write.
    package func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// For databases that build indexes in the transaction of a migration.
    package func unbuiltIndexes(of statements: [SQL]) async throws -> [SQL] { [] }

    package func buildIndex(_ statement: SQL) async throws {
        try await changeSchema { db in _ = try db.run(statement) }
    }

    /// For databases that only one program uses.
    package func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await work()
    }
}

package struct Changed<Found: Sendable>: Sendable {
    /// Rows changed.
    package let count: Int
    package let found: [Found]

    package init(count: Int, found: [Found]) {
        self.count = count
        self.found = found
    }
}

package protocol Connection {
    /// `decode` reads all columns or none.
    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value]
    @discardableResult func run(_ statement: SQL) throws -> Int
    /// For tests.
    func plan(_ statement: SQL) throws -> [String]
}

extension Connection {
    package func rows<Result>(
        _ query: SQL, into initial: Result, _ combine: (inout Result, inout Row) throws -> Void
    ) throws -> Result {
        var result = initial
        _ = try rows(query) { row in try combine(&result, &row) }
        return result
    }

    package func row<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> Value? {
        try rows(statement, decode).first
    }
}

/// For metrics.
package enum DatabaseEvent: Sendable {
    case statement
    case read(Duration)
    /// A durable commit, and the number of callers that shared it.
    case commit(callers: Int, Duration)
}
