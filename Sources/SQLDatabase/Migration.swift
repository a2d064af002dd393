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
}

/// One step of the schema. Steps are numbered from 1 without gaps and never change once released.
package struct Migration: Sendable {
    package let number: Int
    package let name: String
    /// Run in order, in one transaction. A statement is one string: a trigger holds semicolons.
    package let statements: [SQL]
    /// Statements that a dialect needs in other words, after ``statements``.
    package let dialectStatements: [Dialect: [SQL]]

    package init(_ number: Int, _ name: String, _ statements: [SQL], dialectStatements: [Dialect: [SQL]] = [:]) {
        self.number = number
        self.name = name
        self.statements = statements
        self.dialectStatements = dialectStatements
    }
}

/// Which words a driver speaks, for the one statement in ten that needs a second spelling.
package enum Dialect: Hashable, Sendable { case sqlite, postgresql }

/// The database was written by a newer program, which this one must not touch.
package struct UnknownMigration: Error, Equatable, Sendable {
    package let number: Int
}

extension Database {
    /// Runs the steps that have not run yet, in order, each in a transaction of its own. Of nodes that start at once,
    /// one does and the others wait.
    ///
    /// - Throws: ``UnknownMigration`` when the database has a step that is not in `migrations`; nothing was
    ///   changed then. ``DatabaseFailure`` and ``ConstraintViolation``; the steps before the failed one stay.
    package func migrate(_ migrations: [Migration]) async throws {
        let known = Set(migrations.map(\.number))
        // What is lost: why the table cannot be read. Mostly it is not there yet, else the next statement tells.
        let before = try? await appliedMigrations()
        try Self.refuse(before ?? [], unlessIn: known)
        // A role that may not change the schema can start on one that is up to date.
        if let before, known.isSubset(of: before) { return }
        _ = try await exclusively("migrations", waits: true) { try await runSteps(migrations) }
    }

    private func runSteps(_ migrations: [Migration]) async throws {
        let dialect = dialect
        try await write { db in
            _ = try db.run(
                "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        }
        try await Self.refuse(appliedMigrations(), unlessIn: Set(migrations.map(\.number)))
        for migration in migrations {
            try await write { db in
                let number = migration.number
                let hasRun = try db.row("SELECT 1 FROM schema_migrations WHERE number = \(number)") { _ in true }
                if hasRun == true { return }
                for statement in migration.statements + (migration.dialectStatements[dialect] ?? []) {
                    try db.run(statement)
                }
                try db.run("INSERT INTO schema_migrations (number, name) VALUES (\(number), \(migration.name))")
            }
        }
    }

    private static func refuse(_ applied: [Int], unlessIn known: Set<Int>) throws {
        if let unknown = applied.first(where: { !known.contains($0) }) { throw UnknownMigration(number: unknown) }
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
