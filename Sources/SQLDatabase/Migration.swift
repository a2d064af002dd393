/// The few words of a `CREATE TABLE` that each driver spells its own way.
package enum ColumnType: String, CaseIterable, Sendable {
    /// Microseconds since 1970.
    case instant
    /// A UUID, read and written as its lower-case text.
    case uuid
    case text, integer, bytes
    /// 0 or 1.
    case flag
    /// JSON text.
    case json
    /// What follows the closing bracket of every table.
    case table
}

/// What a statement says to a database that many write to at once, and to the others nothing.
package enum Clause: String, CaseIterable, Sendable {
    /// After a `SELECT` that picks rows to change: leaves out those that somebody else is changing.
    case skippingLocked
    /// Before the `WHERE` of both statements of ``Database/change(_:thenRead:_:)``: where the values of several callers
    /// come in, when one statement serves them all.
    case ofMany
}

/// One step of the schema. Steps are numbered from 1 without gaps and never change once released.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    /// Run in order, in one transaction. A statement is one string: a trigger holds semicolons.
    package let statements: [SQL]
    /// Statements that a dialect needs in other words, after ``statements``.
    package let dialectStatements: [Dialect: [SQL]]
    /// Programs that know less than this step cannot work on the schema any more once it has run; 0 for a step that
    /// only adds, which suits every program before it.
    package let leastLevel: Int

    package init(
        _ number: Int, _ name: String, _ statements: [SQL], dialectStatements: [Dialect: [SQL]] = [:],
        leastLevel: Int = 0
    ) {
        self.number = number
        self.name = name
        self.statements = statements
        self.dialectStatements = dialectStatements
        self.leastLevel = leastLevel
    }
}

/// Which words a driver speaks, for the one statement in ten that needs a second spelling.
package enum Dialect: Hashable, Sendable { case sqlite, postgresql }

/// The database was written by a newer program that this one no longer suits, or by another program altogether.
package struct UnknownMigration: Error, Equatable, Sendable {
    package let number: Int
}

/// A database's steps beside those that a program knows.
package struct SchemaState: Equatable, Sendable {
    /// Known here and not run there, ascending.
    package let pending: [Int]
    /// Run by a newer program. They only added to the schema, so this one works on it.
    package let newer: [Int]

    /// - Throws: ``UnknownMigration`` when the program must not touch the database.
    fileprivate init(known: Set<Int>, recorded: [RecordedStep]) throws {
        let level = known.max() ?? 0
        pending = known.subtracting(recorded.map(\.number)).sorted()
        let unknown = recorded.filter { !known.contains($0.number) }
        newer = unknown.map(\.number)
        // Steps run in order: a newer program would have run those that are pending here as well.
        let foreign = unknown.first { $0.number < level || $0.leastLevel > level || !pending.isEmpty }
        if let foreign { throw UnknownMigration(number: foreign.number) }
    }
}

private struct RecordedStep: Sendable {
    let number: Int
    let leastLevel: Int
}

extension Database {
    /// Runs the steps that have not run yet, in order, each in a transaction of its own. Of nodes that start at once,
    /// one does and the others wait.
    ///
    /// - Returns: The steps of a newer program, as in ``SchemaState/newer``.
    /// - Throws: ``UnknownMigration``; nothing was changed then. ``DatabaseFailure`` and ``ConstraintViolation``; the
    ///   steps before the failed one stay.
    @discardableResult
    package func migrate(_ migrations: [Migration]) async throws -> [Int] {
        let known = Set(migrations.map(\.number))
        // What is lost: why the table cannot be read. Mostly it is not there yet, else the next statement tells.
        if let recorded = try? await recordedSteps() {
            let before = try SchemaState(known: known, recorded: recorded)
            // A role that may not change the schema can start on one that is up to date.
            if before.pending.isEmpty { return before.newer }
        }
        return try await exclusively("migrations", waits: true) { try await runSteps(migrations) } ?? []
    }

    /// - Throws: ``UnknownMigration``, and ``DatabaseFailure``, also when no step has ever run.
    package func schemaState(_ migrations: [Migration]) async throws -> SchemaState {
        try await SchemaState(known: Set(migrations.map(\.number)), recorded: recordedSteps())
    }

    private func runSteps(_ migrations: [Migration]) async throws -> [Int] {
        let dialect = dialect
        try await prepareRecord()
        let state = try await schemaState(migrations)
        for migration in migrations {
            try await changeSchema { db in
                let number = migration.number
                let hasRun = try db.row("SELECT 1 FROM schema_migrations WHERE number = \(number)") { _ in true }
                if hasRun == true { return }
                for statement in migration.statements + (migration.dialectStatements[dialect] ?? []) {
                    try db.run(statement)
                }
                try db.run(
                    """
                    INSERT INTO schema_migrations (number, name, least_level)
                    VALUES (\(number), \(migration.name), \(migration.leastLevel))
                    """)
            }
        }
        return state.newer
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
        } catch let failure as DatabaseFailure where failure.detail.contains("least_level") {
            return false
        }
    }

    private func recordedSteps() async throws -> [RecordedStep] {
        do {
            return try await read { db in
                try db.rows("SELECT number, least_level FROM schema_migrations ORDER BY number") {
                    RecordedStep(number: Int($0.int(0)), leastLevel: Int($0.int(1)))
                }
            }
        } catch let failure as DatabaseFailure where failure.detail.contains("least_level") {
            // Programs before the column only added.
            return try await appliedMigrations().map { RecordedStep(number: $0, leastLevel: 0) }
        }
    }

    /// The numbers of the steps that have run, ascending.
    ///
    /// - Throws: ``DatabaseFailure``, also when no step has ever run.
    package func appliedMigrations() async throws -> [Int] {
        try await read { db in
            try db.rows("SELECT number FROM schema_migrations ORDER BY number") { Int($0.int(0)) }
        }
    }
}
