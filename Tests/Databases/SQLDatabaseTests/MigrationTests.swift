import SQLDatabase
import TestDatabases
import Testing

@Suite("Migrations", .serialized)
struct MigrationTests {
    /// They fail if they run twice or in another order.
    private let steps = [
        Migration(1, "notes", ["CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)"]),
        Migration(2, "a first note", ["INSERT INTO note (id, text) VALUES (1, \("it's"))"]),
        Migration(
            3, "one more note", ["INSERT INTO note (id, text) VALUES (2, 'second')"],
            dialectStatements: [
                .sqlite: ["UPDATE note SET text = 'second, as SQLite says it' WHERE id = 2"],
                .postgresql: ["UPDATE note SET text = 'second, as PostgreSQL says it' WHERE id = 2"],
            ]),
    ]
    private let ownWords: [TestDatabase: String] = [
        .sqlite: "second, as SQLite says it", .postgres: "second, as PostgreSQL says it",
    ]

    @Test("Migrations run once, in order, and a second run changes nothing", arguments: TestDatabase.all)
    func order(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        for _ in 0..<3 {
            #expect(try await storage.database.migrate(steps) == [])
            #expect(try await storage.database.noteTexts() == ["it's", ownWords[kind]])
            #expect(try await storage.database.appliedMigrations() == [1, 2, 3])
        }
        let names = try await storage.database.read { db in
            try db.rows("SELECT name FROM schema_migrations ORDER BY number") { $0.text() }
        }
        #expect(names == steps.map(\.name))
    }

    @Test("A later program runs only the new ones", arguments: TestDatabase.all)
    func growing(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        for count in 0...3 {
            try await storage.database.migrate(Array(steps.prefix(count)))
            let state = try await storage.database.schemaState(steps)
            #expect(state.pending == Array([1, 2, 3].dropFirst(count)))
            #expect(state.newer == [])
        }
        #expect(try await storage.database.noteIDs() == [1, 2])
    }

    @Test(
        "A migration that fails half-way keeps earlier ones whole, and leaves nothing of itself",
        arguments: TestDatabase.all)
    func failingStep(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let broken = Migration(
            3, "broken",
            [
                "CREATE TABLE other (id INTEGER)", "ALTER TABLE note ADD COLUMN colour \(.text)", "DELETE FROM note",
                "INSERT INTO note (id) VALUES (3)",
            ])
        for _ in 0..<2 {
            let violation = await #expect(throws: DatabaseFailure.self) {
                try await storage.database.migrate([steps[0], steps[1], broken])
            }
            #expect(violation?.reason == .constraint(.notNull))
            #expect(try await storage.database.appliedMigrations() == [1, 2])
            #expect(try await storage.database.noteTexts() == ["it's"])
            for gone: SQL in ["SELECT id FROM other", "SELECT colour FROM note"] {
                await #expect(throws: DatabaseFailure.self) {
                    try await storage.database.read { db in try db.rows(gone) { _ in } }
                }
            }
        }
        try await storage.database.migrate(steps)
        #expect(try await storage.database.appliedMigrations() == [1, 2, 3])
    }

    @Test("Migrations of a newer program that only add are accepted and reported", arguments: TestDatabase.all)
    func newerProgram(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let newer = Migration(4, "a colour", ["ALTER TABLE note ADD COLUMN colour \(.text)"])
        try await storage.database.migrate(steps + [newer])
        #expect(try await storage.database.migrate(steps) == [4])
        #expect(try await storage.database.schemaState(steps).newer == [4])
        try await storage.database.addNote(9)
        #expect(try await storage.database.noteIDs() == [1, 2, 9])
        #expect(try await storage.database.appliedMigrations() == [1, 2, 3, 4])
    }

    @Test(
        "A database changed incompatibly by a newer program, or owned by another program, is not touched",
        arguments: TestDatabase.all)
    func foreign(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let change = Migration(4, "no text", ["ALTER TABLE note DROP COLUMN text"], leastLevel: 4)
        try await storage.database.migrate(steps + [change])
        let own = Migration(3, "own", ["CREATE TABLE own (id INTEGER)"])
        for (known, number) in [
            (steps, 4), (Array(steps.prefix(2)), 4), ([steps[0], steps[2]], 2),
            ([steps[0], steps[1], Migration(5, "own", own.statements)], 3),
        ] {
            let running = await #expect(throws: UnknownMigration.self) { try await storage.database.migrate(known) }
            let asking = await #expect(throws: UnknownMigration.self) { try await storage.database.schemaState(known) }
            #expect(running?.number == number)
            #expect(asking?.number == number)
        }
        let other = try await kind.openEmpty()
        try await other.database.migrate([Migration(1_001, "other", ["CREATE TABLE other (id INTEGER)"])])
        let unknown = await #expect(throws: UnknownMigration.self) { try await other.database.migrate(steps) }
        #expect(unknown?.number == 1_001)
        #expect(try await other.database.appliedMigrations() == [1_001])
    }

    @Test(
        "A record of an earlier program without levels is read, and gets them with the next migration",
        arguments: TestDatabase.all)
    func recordWithoutLevels(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        try await storage.database.write { db in
            try db.run("CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            try db.run("INSERT INTO schema_migrations (number, name) VALUES (1, 'notes')")
            for statement in steps[0].statements { try db.run(statement) }
        }
        #expect(try await storage.database.migrate([steps[0]]) == [])
        #expect(try await storage.database.schemaState(steps).pending == [2, 3])
        try await storage.database.migrate(steps)
        #expect(try await storage.database.schemaState([steps[0]]).newer == [2, 3])
        let levels = try await storage.database.read { db in
            try db.rows("SELECT least_level FROM schema_migrations") { $0.int() }
        }
        #expect(levels == [0, 0, 0])
    }

    @Test("Of ten that start together one migrates, once", arguments: TestDatabase.all)
    func atOnce(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await storage.database.migrate(steps) } }
            try await group.waitForAll()
        }
        #expect(try await storage.database.noteTexts() == ["it's", ownWords[kind]])
    }

    @Test("A database without migrations has none to name", arguments: TestDatabase.all)
    func never(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let failure = await #expect(throws: DatabaseFailure.self) {
            try await storage.database.appliedMigrations()
        }
        #expect(failure?.reason == .unknownName)
        await #expect(throws: DatabaseFailure.self) { try await storage.database.schemaState(steps) }
    }
}
