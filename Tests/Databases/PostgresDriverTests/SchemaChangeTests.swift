import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: migrations under load", .needsServer)
struct SchemaChangeTests {
    private let colour = Migration(1, "a colour", ["ALTER TABLE note ADD COLUMN colour \(.text)"])

    @Test("A migration that waits for a table yields to other statements, and runs when the table is free")
    func givesWay() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        let name = "step-\(bench.schema)"
        let migrator = try bench.open(
            1, "&application_name=\(name)", change: { $0.schemaLockLimit = .milliseconds(50) })
        let service = try bench.open(2)
        let held = HeldWrite(database) { db in try db.run("INSERT INTO note (id, text) VALUES (1, 'held')") }
        await held.hasBegun()
        let step = Task { try await migrator.migrate([colour]) }
        try await bench.open(1).awaitLock(of: name)
        // Behind a migration without a limit, these would wait as well.
        for id in 2...20 { try await service.addNote(id) }
        #expect(try await service.noteIDs() == Array(2...20))
        try await held.finish()
        #expect(try await step.value == [])
        #expect(try await service.appliedMigrations() == [1])
        #expect(try await service.noteIDs() == Array(1...20))
    }

    @Test("A migration that finds its table locked until its time limit does nothing, and reports it")
    func neverFree() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        let time = StandingClock()
        let migrator = try bench.open(
            1,
            change: {
                $0.schemaLockLimit = .milliseconds(20)
                $0.schemaWaitLimit = .seconds(60)
                // Called for the pause before each retry.
                $0.chance = {
                    time.advance(.seconds(20))
                    return 0
                }
            }, uptime: { time.now })
        let held = HeldWrite(database) { db in try db.run("INSERT INTO note (id, text) VALUES (1, 'held')") }
        await held.hasBegun()
        let failure = await #expect(throws: DatabaseFailure.self) { try await migrator.migrate([colour]) }
        #expect(failure?.reason == .locked)
        #expect(time.now >= .seconds(60))
        try await held.finish()
        #expect(try await database.appliedMigrations() == [])
        try await migrator.migrate([colour])
        #expect(try await database.appliedMigrations() == [1])
    }

    private let index: SQL = "CREATE INDEX note_by_text ON note (text)"
    private var steps: [Migration] { [colour, Migration(2, "notes by text", indexes: [index])] }

    @Test("An index of a table that had rows is built while others write to the table")
    func indexUnderLoad() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        try await database.migrate([colour])
        let name = "index-\(bench.schema)"
        let migrator = try bench.open(1, "&application_name=\(name)")
        let service = try bench.open(2)
        let held = HeldWrite(database) { db in try db.run("INSERT INTO note (id, text) VALUES (1, 'held')") }
        await held.hasBegun()
        let step = Task { try await migrator.migrate(steps) }
        try await bench.open(1).awaitLock(of: name)
        for id in 2...20 { try await service.addNote(id) }
        #expect(try await database.unbuiltIndexes(of: [index]).count == 1)
        try await held.finish()
        _ = try await step.value
        #expect(try await database.unbuiltIndexes(of: [index]).isEmpty)
        #expect(try await service.noteIDs() == Array(1...20))
    }

    @Test("An index whose build was interrupted is built by the next migration")
    func interruptedIndex() async throws {
        let database = try await Bench().openWithNotes()
        try await database.migrate([colour])
        try await database.migrate(steps)
        try await database.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'note_by_text'::regclass")
        #expect(try await database.unbuiltIndexes(of: [index]).count == 1)
        try await database.migrate(steps)
        #expect(try await database.unbuiltIndexes(of: [index]).isEmpty)
    }

    @Test("A migration may exceed the time limits of ordinary statements")
    func longStep() async throws {
        let migrator = try await Bench().open(
            1,
            change: {
                $0.statementLimit = .seconds(3)
                $0.waitLimit = .seconds(3)
            })
        try await migrator.migrate([Migration(1, "long", ["SELECT pg_sleep(4)"])])
        #expect(try await migrator.appliedMigrations() == [1])
        // The connection has the ordinary limits again.
        await #expect(throws: DatabaseFailure.self) { try await migrator.run("SELECT pg_sleep(60)") }
    }
}
