import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("Two programs on one file")
struct SeveralWritersTests {
    @Test("A write waits for another program's instead of failing")
    func waits() async throws {
        let bench = try Workbench()
        let (first, second) = (try await bench.openWithNotes(), try bench.open())
        let held = HeldWrite(first) { db in try db.run("INSERT INTO note (id, text) VALUES (1, '')") }
        await held.hasBegun()
        let waiting = Task {
            try await second.write { db in
                let seen = try db.rows("SELECT id FROM note") { Int($0.int()) }
                try db.run("INSERT INTO note (id, text) VALUES (2, '')")
                return seen
            }
        }
        let before = await Result.of { try await second.noteIDs() }
        try await held.finish()
        #expect(try before.get() == [])
        #expect(try await waiting.value == [1])
        #expect(try await first.noteIDs() == [1, 2])
    }

    @Test("A write that waits too long changes nothing and can be retried, and reads continue")
    func busy() async throws {
        let bench = try Workbench()
        var settings = SQLiteSettings()
        settings.busyLimit = .milliseconds(1)
        let (first, second) = (try await bench.openWithNotes(), try bench.open(settings: settings))
        let held = HeldWrite(first) { db in try db.run("INSERT INTO note (id, text) VALUES (1, '')") }
        await held.hasBegun()
        let failure = await #expect(throws: DatabaseFailure.self) { try await second.addNote(2) }
        #expect(failure?.reason == .locked)
        #expect(try await second.noteIDs() == [])
        try await held.finish()
        try await second.addNote(2)
        #expect(try await first.noteIDs() == [1, 2])
    }

    @Test("Dependent changes from two programs lose none")
    func counter() async throws {
        let bench = try Workbench()
        let databases = [try await bench.openWithNotes(), try bench.open()]
        try await databases[0].addNote(1, "0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await databases[number % 2].write { db in
                        let count = try db.row("SELECT text FROM note WHERE id = 1") { Int($0.text()) ?? 0 } ?? 0
                        try db.run("UPDATE note SET text = \(String(count + 1)) WHERE id = 1")
                    }
                }
            }
            try await group.waitForAll()
        }
        for database in databases {
            let text = try await database.read { db in try db.row("SELECT text FROM note") { $0.text() } }
            #expect(text == "200")
        }
    }

    @Test("A commit of one program is visible to the other at once, a new table too")
    func visibility() async throws {
        let bench = try Workbench()
        let (first, second) = (try await bench.openWithNotes(), try bench.open())
        for id in 1...10 {
            try await (id % 2 == 0 ? first : second).addNote(id)
            #expect(try await first.noteIDs() == Array(1...id))
            #expect(try await second.noteIDs() == Array(1...id))
        }
        try await first.run("ALTER TABLE note ADD COLUMN colour TEXT")
        let columns = try await second.read { db in
            try db.rows("SELECT name FROM pragma_table_info('note')") { $0.text() }
        }
        #expect(columns == ["id", "text", "colour"])
        #expect(try await second.noteIDs() == Array(1...10))
    }
}
