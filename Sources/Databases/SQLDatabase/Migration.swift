/// Placeholders in `CREATE TABLE` that drivers replace.
package enum ColumnType: String, CaseIterable, Sendable {
    /// Microseconds since 1970.
    case instant
    /// Lower-case text.
    case uuid
    case text, integer, bytes
    /// 0 or 1.
    case flag
    case json
    /// Follows the closing parenthesis of every table.
    case table
}

/// For databases with concurrent writers. Other drivers remove them.
package enum Clause: String, CaseIterable, Sendable {
    /// After a `SELECT` of rows to change: skips rows that another transaction has locked.
    case skippingLocked
    /// Before the `WHERE` of both statements of ``Database/change(_:thenRead:_:)``: takes several callers' values.
    case ofMany
}

/// Numbered from 1 without gaps; never changes after a release.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    /// Run in order, in one transaction. A statement is one string, because triggers contain semicolons.
    package let statements: [SQL]
    /// Run after ``statements``.
    package let dialectStatements: [Dialect: [SQL]]
    /// Of tables that had rows before. PostgreSQL builds them afterwards, while others change the tables.
    package let indexes: [SQL]
    package let dialectIndexes: [Dialect: [SQL]]
    /// Existing tables that the statements change, in the programs' order of use. PostgreSQL locks them first: later
    /// locks would deadlock with other nodes' transactions.
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

    /// Of tables that had rows before.
    fileprivate func indexes(_ dialect: Dialect) -> [SQL] { indexes + (dialectIndexes[dialect] ?? []) }

    /// SQLite has one writer, and needs no locks.
    fileprivate func transaction(_ dialect: Dialect) -> [SQL] {
        let names = changing.joined(separator: ", ")
        let locks = SQL(stringLiteral: "LOCK TABLE \(names) IN ACCESS EXCLUSIVE MODE")
        let isLocking = dialect == .postgresql && !changing.isEmpty
        return (isLocking ? [locks] : []) + statements + (dialectStatements[dialect] ?? [])
    }
}

/// For statements that need two versions.
package enum Dialect: Hashable, Sendable { case sqlite, postgresql }

/// An incompatible newer program, or a different program, wrote the database.
package struct UnknownMigration: Error, Equatable, Sendable {
    package let number: Int
}

package struct SchemaState: Equatable, Sendable {
    /// Known to the program but not applied, ascending.
    package let pending: [Int]
    /// By a newer program. They only add to the schema, so this program can work with it.
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
    /// Applies the pending migrations in order, each in its own transaction, on one node while others wait. Completes
    /// indexes that an interrupted call left.
    ///
    /// - Returns: ``SchemaState/newer``.
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

    /// The server is a standby, or set to read-only. false for a file, even if it cannot be written.
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

    /// Ascending.
    ///
    /// - Throws: ``DatabaseFailure``, also if no migration was ever applied.
    package func appliedMigrations() async throws -> [Int] {
        try await read { db in
            try db.rows("SELECT number FROM schema_migrations ORDER BY number") { Int($0.int()) }
        }
    }
}
