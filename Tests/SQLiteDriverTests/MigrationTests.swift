import SQLDatabase
import SQLiteDriver
import Testing

@Suite("Migrations")
struct MigrationTests {
    /// Steps that fail when they run twice or in another order.
    private let steps = [
        Migration(1, "notes", ["CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)"]),
        Migration(2, "a first note", ["INSERT INTO note (id, text) VALUES (1, \("it's"))"]),
        Migration(
            3, "a trigger, and one more note",
            [
                """
                CREATE TRIGGER no_empty_text BEFORE INSERT ON note WHEN new.text = ''
                BEGIN SELECT raise(ABORT, 'empty'); END
                """,
                "INSERT INTO note (id, text) VALUES (2, 'second')",
            ],
            dialectStatements: [
                .sqlite: ["UPDATE note SET text = 'second, as SQLite says it' WHERE id = 2"],
                .postgresql: ["THIS IS NO STATEMENT"],
            ]),
    ]

    private func texts(_ database: SQLiteDatabase) async throws -> [String] {
        try await database.read { db in try db.rows("SELECT text FROM note ORDER BY id") { $0.text(0) } }
    }

    @Test("Steps run once, in order, and running them again changes nothing")
    func order() async throws {
        let bench = try Workbench()
        let database = try bench.open()
        for _ in 0..<3 {
            try await database.migrate(steps)
            #expect(try await texts(database) == ["it's", "second, as SQLite says it"])
            #expect(try await database.appliedMigrations() == [1, 2, 3])
        }
        let again = try bench.open()
        try await again.migrate(steps)
        #expect(try await again.appliedMigrations() == [1, 2, 3])
        let names = try await again.read { db in
            try db.rows("SELECT name FROM schema_migrations ORDER BY number") { $0.text(0) }
        }
        #expect(names == steps.map(\.name))
    }

    @Test("A later program runs only what is new")
    func growing() async throws {
        let database = try Workbench().open()
        for count in 0...3 {
            try await database.migrate(Array(steps.prefix(count)))
            #expect(try await database.appliedMigrations() == Array([1, 2, 3].prefix(count)))
        }
        #expect(try await texts(database).count == 2)
    }

    @Test("A step that fails leaves the steps before it, and nothing of itself")
    func failingStep() async throws {
        let database = try Workbench().open()
        let broken = Migration(
            3, "broken",
            ["CREATE TABLE other (id INTEGER)", "DELETE FROM note", "INSERT INTO note (id) VALUES (3)"])
        let error = ConstraintViolation(kind: .notNull, detail: "NOT NULL constraint failed: note.text")
        for _ in 0..<2 {
            await #expect(throws: error) { try await database.migrate([steps[0], steps[1], broken]) }
            #expect(try await database.appliedMigrations() == [1, 2])
            #expect(try await texts(database) == ["it's"])
            let tables = try await database.read { db in
                try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.text(0) }
            }
            #expect(tables == ["note", "schema_migrations"])
        }
        try await database.migrate(steps)
        #expect(try await database.appliedMigrations() == [1, 2, 3])
    }

    @Test("A database of a newer program is refused before anything runs")
    func newerDatabase() async throws {
        let database = try Workbench().open()
        let future = Migration(9, "future", ["CREATE TABLE future (id INTEGER)"])
        try await database.migrate([steps[0], future])
        let error = await #expect(throws: UnknownMigration.self) { try await database.migrate(steps) }
        #expect(error?.number == 9)
        #expect(try await database.appliedMigrations() == [1, 9])
        #expect(try await texts(database) == [])
    }

    @Test("Two programs that open and migrate one new file at the same time both succeed", arguments: 0..<20)
    func atOnce(_ round: Int) async throws {
        let bench = try Workbench()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let database = try bench.open()
                    try await database.migrate(steps)
                    #expect(try await database.appliedMigrations() == [1, 2, 3])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await texts(bench.open()) == ["it's", "second, as SQLite says it"])
    }

    @Test("A database that no step has ever run on cannot name any")
    func never() async throws {
        let database = try Workbench().open()
        await #expect(throws: DatabaseFailure(code: 1, detail: "no such table: schema_migrations")) {
            try await database.appliedMigrations()
        }
    }
}
