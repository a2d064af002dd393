/// A database with transactions. Conformers: `SQLiteDatabase` and `PostgresDatabase`.
package protocol Database: Sendable {
    /// Commits when `body` returns, rolls back when it throws; returns after the commit is on disk.
    ///
    /// `body` is synchronous on purpose: nothing can wait on a network, a hash or a person while the
    /// transaction holds its locks. It may run more than once, so it has no effect besides its statements, and
    /// asks the same when it is told the same. After a statement that failed it can only end: not every database
    /// goes on with the transaction.
    ///
    /// - Throws: What `body` throws, ``ConstraintViolation``, ``DatabaseFailure``, and `CancellationError` where the
    ///   driver can stop; nothing was changed then, unless the failure says that nobody knows.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

    /// Reads one consistent state. What is said of `body` above holds here too.
    ///
    /// - Throws: What `body` throws, and ``DatabaseFailure``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value

    /// A write of one statement, and what a query finds right after it, in one transaction that may share its commit
    /// with others. Both see what others have committed by then, and the query what those changed who share the commit;
    /// the statement waits for those who are changing the same row: what it depends on stands in its `WHERE`.
    ///
    /// A database may carry out the same statement for several callers at once. A row is changed for one of them at most
    /// then, and the others count none, as if the `WHERE` did not hold: it must not hold any more after the change.
    ///
    /// - Parameters:
    ///   - statement: An `UPDATE` or a `DELETE` that says ``Clause/ofMany`` before its `WHERE`. A value that is no
    ///     number, instant or bytes is a text: where another type stands, it is cast. The last text that it binds tells
    ///     the row, so that all wait for each other in one order.
    ///   - query: A `SELECT` that says the same; in no order.
    /// - Returns: How many rows it changed, and those of the query.
    /// - Throws: As ``write(_:)``.
    func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (any Row) throws -> Found
    ) async throws -> Changed<Found>

    /// A write that changes tables. It may take long. Where somebody holds a table that it needs, it gives way and
    /// tries again, so that nobody waits behind it while it waits.
    ///
    /// - Throws: As ``write(_:)``.
    func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value

    /// Does `work` while nobody else who shares the database does work of the same name. When it returns, others
    /// can, unless the database is out of reach: then a little later.
    ///
    /// - Parameter waits: Whether to wait until the others are done; else they are left to it.
    /// - Returns: nil when somebody else is at it.
    /// - Throws: What `work` throws, and ``DatabaseFailure``.
    func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value?

    /// Which words the driver speaks.
    var dialect: Dialect { get }
}

extension Database {
    /// For databases where every write shares its commit, or none.
    package func change<Found: Sendable>(
        _ statement: SQL, thenRead query: SQL, _ decode: @escaping @Sendable (any Row) throws -> Found
    ) async throws -> Changed<Found> {
        try await write { db in Changed(count: try db.run(statement), found: try db.rows(query, decode)) }
    }

    /// For databases where a change of the schema is a write like any other.
    package func changeSchema<Value: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// For databases that one program has to itself.
    package func exclusively<Value: Sendable>(
        _ name: String, waits: Bool, _ work: @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await work()
    }
}

/// What ``Database/change(_:thenRead:_:)`` did and found.
package struct Changed<Found: Sendable>: Sendable {
    /// Rows that were changed.
    package let count: Int
    package let found: [Found]

    package init(count: Int, found: [Found]) {
        self.count = count
        self.found = found
    }
}

/// Runs statements inside a transaction.
package protocol Connection {
    /// The rows of a query, each decoded while it is current.
    func rows<Value>(_ statement: SQL, _ decode: (any Row) throws -> Value) throws -> [Value]
    /// Runs a statement that gives no rows; returns how many rows it changed.
    @discardableResult func run(_ statement: SQL) throws -> Int
    /// How the planner would run the statement, for plan tests.
    func plan(_ statement: SQL) throws -> [String]
}

extension Connection {
    package func row<Value>(_ statement: SQL, _ decode: (any Row) throws -> Value) throws -> Value? {
        try rows(statement, decode).first
    }
}

/// The current row of a query. Columns are numbered from 0 in the order of the `SELECT` list.
package protocol Row {
    func isNull(_ column: Int) -> Bool
    func int(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func bytes(_ column: Int) -> [UInt8]
}

extension Row {
    package func intIfPresent(_ column: Int) -> Int64? { isNull(column) ? nil : int(column) }
    package func textIfPresent(_ column: Int) -> String? { isNull(column) ? nil : text(column) }
    package func bool(_ column: Int) -> Bool { int(column) != 0 }
}

/// A statement broke a rule of the schema.
package struct ConstraintViolation: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case unique, foreignKey, check, notNull, other }
    package let kind: Kind
    /// The driver's own words, for the log: names of columns, never values.
    package let detail: String

    package init(kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}

/// The database could not do its work: out of reach, full, damaged, busy for too long.
package struct DatabaseFailure: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Asking again gives the same.
        case fault
        /// Nothing has happened, and in a moment it may work: out of reach, or too busy.
        case passing
        /// The connection broke during the commit: nobody knows whether it took effect.
        case unknownOutcome
    }

    package let kind: Kind
    package let code: Int
    /// The driver's own words, for the log; never values.
    package let detail: String

    package init(code: Int, detail: String, kind: Kind = .fault) {
        self.code = code
        self.detail = detail
        self.kind = kind
    }
}

/// What a driver tells whoever measures it.
package enum DatabaseEvent: Sendable {
    case statement
    case read(Duration)
    /// One commit on disk, and how many callers shared it.
    case commit(callers: Int, Duration)
}
