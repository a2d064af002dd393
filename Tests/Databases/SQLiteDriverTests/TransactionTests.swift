import Dispatch
import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("A commit is on disk before it is acknowledged: the writer's settings are read back")
    func settings() async throws {
        let database = try Workbench().open()
        #expect(try await database.pragmaOfWriter("synchronous") == "2")
        #expect(try await database.pragmaOfWriter("journal_mode") == "wal")
        #expect(try await database.pragmaOfWriter("foreign_keys") == "1")
        #expect(try await database.read { db in try db.row("PRAGMA query_only") { $0.int() } } == 1)
        #expect(try await database.read { db in try db.row("PRAGMA foreign_keys") { $0.int() } } == 1)
    }

    @Test("A body that throws leaves nothing behind, whatever the error")
    func rollback() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1, "first")
        await #expect(throws: Refused(number: 1)) {
            try await database.write { db in
                try db.run("INSERT INTO note (id, text) VALUES (2, 'second')")
                try db.run("UPDATE note SET text = 'changed'")
                try db.run("CREATE TABLE other (id INTEGER)")
                throw Refused(number: 1)
            }
        }
        let state = try await database.read { db in
            (
                try db.rows("SELECT text FROM note ORDER BY id") { $0.text() },
                try db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text() }
            )
        }
        #expect(state.0 == ["first"])
        #expect(state.1 == ["note"])
        try await database.addNote(2)
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A body that throws while it reads rows leaves its statement usable")
    func throwingDecoder() async throws {
        let database = try await Workbench().openWithNotes()
        for id in 1...3 { try await database.addNote(id) }
        let statement: SQL = "SELECT id FROM note ORDER BY id"
        await #expect(throws: Refused(number: 2)) {
            try await database.read { db in
                try db.rows(statement) { row in
                    if row.int() == 2 { throw Refused(number: 2) }
                }
            }
        }
        #expect(try await database.read { db in try db.rows(statement) { $0.int() } } == [1, 2, 3])
        try await database.addNote(4)
    }

    @Test("A write sees its own rows and returns its value")
    func ownRows() async throws {
        let database = try await Workbench().openWithNotes()
        let ids = try await database.write { db in
            try db.run("INSERT INTO note (id, text) VALUES (7, '')")
            return try db.rows("SELECT id FROM note") { $0.int() }
        }
        #expect(ids == [7])
    }

    @Test("A reader cannot write, and an attempt leaves nothing behind")
    func readersOnlyRead() async throws {
        let database = try await Workbench().openWithNotes()
        for statement: SQL in [
            "INSERT INTO note (id, text) VALUES (1, '')", "DELETE FROM note", "CREATE TABLE other (id INTEGER)",
            "DROP TABLE note",
        ] {
            let failure = await #expect(throws: DatabaseFailure.self) {
                try await database.read { db in try db.run(statement) }
            }
            #expect(failure == DatabaseFailure(.other, code: "8", detail: "attempt to write a readonly database"))
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("A read beside a running write sees the state before it, and does not wait")
    func readBesideWrite() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1)
        let held = HeldWrite(database) { db in try db.run("INSERT INTO note (id, text) VALUES (2, '')") }
        await held.hasBegun()
        let before = await Result.of { try await database.noteIDs() }
        try await held.finish()
        #expect(try before.get() == [1])
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("One read sees one state, although a commit comes between its statements")
    func oneState() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        try await database.addNote(1)
        bench.forgetCommits()
        let held = HeldWrite(database) { db in try db.run("INSERT INTO note (id, text) VALUES (2, '')") }
        await held.hasBegun()
        let counts = try await database.read { db in
            let before = try db.row("SELECT count(*) FROM note") { $0.int() }
            held.letGo()
            bench.awaitCommit()
            return [before, try db.row("SELECT count(*) FROM note") { $0.int() }]
        }
        try await held.value()
        #expect(counts == [1, 1])
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("Many concurrent readers each get their rows")
    func manyReaders() async throws {
        let database = try await Workbench().openWithNotes()
        for id in 1...20 { try await database.addNote(id) }
        try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<100 { group.addTask { try await database.noteIDs() } }
            for try await ids in group { #expect(ids == Array(1...20)) }
        }
    }

    @Test("A reopened file has every acknowledged write")
    func reopening() async throws {
        let bench = try Workbench()
        for round in 0..<3 {
            let database = round == 0 ? try await bench.openWithNotes() : try bench.open()
            #expect(try await database.noteIDs() == Array(0..<(round * 10)))
            for id in 0..<10 { try await database.addNote(round * 10 + id, "note \(id)") }
        }
        let database = try bench.open()
        #expect(try await database.noteIDs() == Array(0..<30))
        #expect(try await database.pragmaOfWriter("integrity_check") == "ok")
    }
}
