import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("SQLite: migrations")
struct MigrationTests {
    private let steps = [
        Migration(1, "notes", ["CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)"]),
        Migration(
            2, "a trigger", [],
            dialectStatements: [
                .sqlite: [
                    """
                    CREATE TRIGGER no_empty_text BEFORE INSERT ON note WHEN new.text = ''
                    BEGIN SELECT raise(ABORT, 'empty'); END
                    """
                ],
                .postgresql: ["THIS IS NO STATEMENT"],
            ]), Migration(3, "a first note", ["INSERT INTO note (id, text) VALUES (1, 'first')"]),
    ]

    @Test("Programs that open and migrate one new file concurrently all succeed", arguments: 0..<20)
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
        #expect(try await bench.open().noteTexts() == ["first"])
    }

    @Test("A reopened file keeps its level, and a migration may create a trigger")
    func reopened() async throws {
        let bench = try Workbench()
        try await bench.open().migrate(steps)
        let again = try bench.open()
        try await again.migrate(steps)
        await #expect(throws: DatabaseFailure.self) { try await again.addNote(2, "") }
        #expect(try await again.noteTexts() == ["first"])
    }
}
