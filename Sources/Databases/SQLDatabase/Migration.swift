/// Placeholders in `CREATE TABLE` that each driver replaces with its own syntax.
package enum ColumnType: String, CaseIterable, Sendable {
    /// Microseconds since 1970.
    case instant
    /// A UUID, read and written as lower-case text.
    case uuid
    case text, integer, bytes
    /// 0 or 1.
    case flag
    /// JSON text.
    case json
    /// Follows the closing parenthesis of every table.
    case table
}

/// Clauses for databases with concurrent writers. Other drivers remove them.
package enum Clause: String, CaseIterable, Sendable {
    /// After a `SELECT` of rows to change: skips rows that another transaction has locked.
    case skippingLocked
    /// Before the `WHERE` of both statements of ``Database/change(_:thenRead:_:)``: the place for the values of several
    /// callers, if one statement serves them all.
    case ofMany
}

/// A migration of the schema. Migrations are numbered from 1 without gaps and never change after a release.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    /// Run in order, in one transaction. A statement is one string, because triggers contain semicolons.
    package let statements: [SQL]
    /// Statements that differ between dialects, run after ``statements``.
    package let dialectStatements: [Dialect: [SQL]]
    /// Indexes of tables that had rows before. PostgreSQL builds them afterwards, while others change the tables.
    package let indexes: [SQL]
    package let dialectIndexes: [Dialect: [SQL]]
    /// Existing tables that the statements change, those first that programs use first. PostgreSQL locks them before the
    /// first statement: a lock that is taken or raised later would deadlock with the transactions of other nodes.
    package let changing: [String]
    /// The lowest schema level that a program must know to work on the schema after this migration; 0 for one that only
    /// adds, which suits all earlier programs.
    package let leastLevel: Int

    package init(
        _ number: Int, _ name: String, _ statements: [SQL] = [], dialectStatements: [Dialect: [SQL]] = [:],
        changing: [String] = [], indexes: [SQL] = [], dialectIndexes: [Dialect: [SQL]] = [:], leastLevel: Int = 0
    ) {
        self.number = number
        self.name = name
        self.statements = statements
        self.dialectStatements = dialectStatements
        self.changing = changing
        self.indexes = indexes
        self.dialectIndexes = dialectIndexes
        self.leastLevel = leastLevel
    }

    /// All indexes of tables that had rows before.
    fileprivate func indexes(_ dialect: Dialect) -> [SQL] { indexes + (dialectIndexes[dialect] ?? []) }

    /// All statements of the transaction. SQLite has one writer, and needs no locks.
    fileprivate func transaction(_ dialect: Dialect) -> [SQL] {
        let names = changing.joined(separator: ", ")
        let locks = SQL(stringLiteral: "LOCK TABLE \(names) IN ACCESS EXCLUSIVE MODE")
        let isLocking = dialect == .postgresql && !changing.isEmpty
        return (isLocking ? [locks] : []) + statements + (dialectStatements[dialect] ?? [])
    }
}

/// The SQL dialect of a driver, for the few statements that need two versions.
package enum Dialect: Hashable, Sendable { case sqlite, postgresql }

/// An incompatible newer program, or a different program, wrote the database.
package struct UnknownMigration: Error, Equatable, Sendable {
    package let number: Int
}

/// A database's migrations compared with a program's.
package struct SchemaState: Equatable, Sendable {
    /// Known to the program but not applied, ascending.
    package let pending: [Int]
    /// Applied by a newer program. They only add to the schema, so this program can work with it.
    package let newer: [Int]

    /// - Throws: ``UnknownMigration`` if the program must not use the database.
    fileprivate init(known: Set<Int>, recorded: [RecordedStep]) throws {
        let level = known.max() ?? 0
        pending = known.subtracting(recorded.map(\.number)).sorted()
        let unknown = recorded.filter { !known.contains($0.number) }
        newer = unknown.map(\.number)
        // Migrations run in order: a newer program would have applied the pending ones as well.
        let foreign = unknown.first { $0.number < level || $0.leastLevel > level || !pending.isEmpty }
        if let foreign { throw UnknownMigration(number: foreign.number) }
    }
}

private struct RecordedStep: Sendable {
    let number: Int
    let leastLevel: Int
}

extension Database {
    /// Applies the pending migrations in order, each in its own transaction. If several nodes start together, one
    /// applies them and the others wait. Indexes that an interrupted call left unfinished are built.
    ///
    /// - Returns: The migrations of a newer program, as in ``SchemaState/newer``.
    /// - Throws: ``UnknownMigration`` before any change; ``DatabaseFailure``, in which case the migrations before the
    ///   failed one stay applied.
    @discardableResult
    package func migrate(_ migrations: [Migration]) async throws -> [Int] {
        let known = Set(migrations.map(\.number))
        // Ignored: usually the table does not exist yet. The next statement reports any other error.
        if let recorded = try? await recordedSteps() {
            let before = try SchemaState(known: known, recorded: recorded)
            // A role without permission to change the schema can start if the schema is up to date.
            if before.pending.isEmpty, try await unbuilt(migrations).isEmpty { return before.newer }
        }
        return try await exclusively("migrations", waits: true) { try await runSteps(migrations) } ?? []
    }

    /// - Throws: ``UnknownMigration``, and ``DatabaseFailure``, also if no migration was ever applied.
    package func schemaState(_ migrations: [Migration]) async throws -> SchemaState {
        try await SchemaState(known: Set(migrations.map(\.number)), recorded: recordedSteps())
    }

    /// Whether the server takes no changes for now: a standby, or one that is set so. A file that cannot be written has no
    /// such state.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func isReadOnly() async throws -> Bool {
        guard dialect == .postgresql else { return false }
        // In a transaction that could change something: those for reading alone are always read-only.
        return try await writeCommitted { db in
            try db.row("SELECT current_setting('transaction_read_only')") { $0.text() == "on" } ?? false
        }
    }

    private func runSteps(_ migrations: [Migration]) async throws -> [Int] {
        let dialect = dialect
        try await prepareRecord()
        let state = try await schemaState(migrations)
        // In a new database, all tables are empty and no client waits for them.
        let buildsNow = try await recordedSteps().isEmpty || dialect == .sqlite
        for migration in migrations {
            try await changeSchema { db in
                let number = migration.number
                let hasRun = try db.row("SELECT 1 FROM schema_migrations WHERE number = \(number)") { _ in true }
                if hasRun == true { return }
                let now = buildsNow ? migration.indexes(dialect) : []
                for statement in migration.transaction(dialect) + now { try db.run(statement) }
                try db.run(
                    """
                    INSERT INTO schema_migrations (number, name, least_level)
                    VALUES (\(number), \(migration.name), \(migration.leastLevel))
                    """)
            }
        }
        for index in try await unbuilt(migrations) { try await buildIndex(index) }
        return state.newer
    }

    private func unbuilt(_ migrations: [Migration]) async throws -> [SQL] {
        let dialect = dialect
        return try await unbuiltIndexes(of: migrations.flatMap { $0.indexes(dialect) })
    }

    private func prepareRecord() async throws {
        try await changeSchema { db in
            _ = try db.run(
                """
                CREATE TABLE IF NOT EXISTS schema_migrations
                    (number INTEGER PRIMARY KEY, name TEXT NOT NULL, least_level INTEGER NOT NULL DEFAULT 0)
                """)
        }
        if try await hasLeastLevels() { return }
        try await changeSchema { db in
            _ = try db.run("ALTER TABLE schema_migrations ADD COLUMN least_level INTEGER NOT NULL DEFAULT 0")
        }
    }

    private func hasLeastLevels() async throws -> Bool {
        do {
            _ = try await read { db in try db.rows("SELECT least_level FROM schema_migrations LIMIT 1") { _ in } }
            return true
        } catch let failure as DatabaseFailure where failure.reason == .unknownName {
            return false
        }
    }

    private func recordedSteps() async throws -> [RecordedStep] {
        do {
            return try await read { db in
                try db.rows("SELECT number, least_level FROM schema_migrations ORDER BY number") {
                    RecordedStep(number: Int($0.int()), leastLevel: Int($0.int()))
                }
            }
        } catch let failure as DatabaseFailure where failure.reason == .unknownName {
            // Migrations before this column only added to the schema.
            return try await appliedMigrations().map { RecordedStep(number: $0, leastLevel: 0) }
        }
    }

    /// The numbers of the applied migrations, ascending.
    ///
    /// - Throws: ``DatabaseFailure``, also if no migration was ever applied.
    package func appliedMigrations() async throws -> [Int] {
        try await read { db in
            try db.rows("SELECT number FROM schema_migrations ORDER BY number") { Int($0.int()) }
        }
    }
}
