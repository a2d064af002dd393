import Dispatch
import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: transactions", .needsServer)
struct TransactionTests {
    @Test("A body that throws leaves nothing, and its error reaches the caller")
    func rollBack() async throws {
        let database = try await Bench().openWithNotes()
        await #expect(throws: Refused()) {
            try await database.write { db in
                try db.run("INSERT INTO note (id, text) VALUES (1, '')")
                throw Refused()
            }
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("A write sees its own rows, and others see them after it")
    func ownRows() async throws {
        let database = try await Bench().openWithNotes()
        let held = HeldWrite(database) { db in
            try db.run("INSERT INTO note (id, text) VALUES (7, '')")
            #expect(try db.rows("SELECT id FROM note") { $0.int() } == [7])
        }
        await held.hasBegun()
        let before = await Result.of { try await database.noteIDs() }
        try await held.finish()
        #expect(try before.get() == [])
        #expect(try await database.noteIDs() == [7])
    }

    @Test("Two writes that depend on each other run one after the other: one is repeated")
    func serializable() async throws {
        let database = try await Bench().openWithNotes()
        let bodies = Tally()
        // Each adds a note if there is none: at most one succeeds.
        let first = HeldWrite(database) { db in
            let isEmpty = try db.row("SELECT count(*) FROM note") { $0.int() } == 0
            if isEmpty { try db.run("INSERT INTO note (id, text) VALUES (1, '')") }
        }
        await first.hasBegun()
        let second = HeldWrite(database) { db in
            bodies.add()
            let isEmpty = try db.row("SELECT count(*) FROM note") { $0.int() } == 0
            if isEmpty { try db.run("INSERT INTO note (id, text) VALUES (2, '')") }
        }
        await second.hasBegun()
        try await first.finish()
        try await second.finish()
        #expect(bodies.value > 1)
        #expect(try await database.noteIDs() == [1])
    }

    @Test("Writes are serializable, except those of queues")
    func isolation() async throws {
        let database = try await Bench().openWithNotes()
        let level: SQL = "SELECT current_setting('transaction_isolation')"
        #expect(try await database.write { try $0.row(level) { $0.text() } } == "serializable")
        #expect(try await database.writeCommitted { try $0.row(level) { $0.text() } } == "read committed")
    }

    @Test("Fifty concurrent writes of one counter lose none")
    func counter() async throws {
        let database = try await Bench().openWithNotes(8)
        try await database.run("INSERT INTO note (id, text) VALUES (0, 'counter')")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { db in
                        let last = try db.row("SELECT id FROM note") { $0.int() } ?? 0
                        try db.run("UPDATE note SET id = \(last + 1)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.noteIDs() == [50])
    }

    @Test("A reader cannot write", arguments: [false, true])
    func readersOnlyRead(_ isTransaction: Bool) async throws {
        let database = try await Bench().openWithNotes()
        let insertion: SQL = "INSERT INTO note (id, text) VALUES (1, '') RETURNING id"
        let failure = await #expect(throws: DatabaseFailure.self) {
            if isTransaction {
                _ = try await database.read { db in try db.rows(insertion) { $0.int() } }
            } else {
                _ = try await database.rows(insertion) { $0.int() }
            }
        }
        #expect(failure?.code == "25006")
        #expect(try await database.noteIDs() == [])
    }

    @Test("One read sees one state, although a commit comes between its statements")
    func oneState() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        let other = try bench.open()
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let goOn = DispatchSemaphore(value: 0)
        let reading = Task {
            try await database.read { db in
                // After two statements the body has its own connection and thread.
                let before = try db.row("SELECT count(*) FROM note") { $0.int() }
                _ = try db.row("SELECT 1") { $0.int() }
                begin.yield()
                goOn.wait()
                return [before, try db.row("SELECT count(*) FROM note") { $0.int() }]
            }
        }
        for await _ in began { break }
        let added = await Result.of { try await other.addNote(1) }
        goOn.signal()
        let counts = try await reading.value
        try added.get()
        #expect(counts == [0, 0])
        #expect(try await database.noteIDs() == [1])
    }

    @Test("Commits and statements reach the observer, reads with their time")
    func events() async throws {
        let told = Told<String>()
        let database = try await Bench().open { event in
            switch event {
            case .statement: told.add("statement")
            case .read: told.add("read")
            case .commit(let callers, _): told.add("commit \(callers)")
            }
        }
        try await database.write { db in
            _ = try db.row("SELECT 1") { $0.int() }
            _ = try db.row("SELECT 2") { $0.int() }
        }
        _ = try await database.row("SELECT 3") { $0.int() }
        #expect(told.all == ["statement", "statement", "commit 1", "statement", "read"])
    }

    @Test("An unreferenced database closes, although its bodies captured it", .timeLimit(.minutes(5)))
    func released() async throws {
        weak var held: PostgresDatabase?
        do {
            let database = try await Bench().openWithNotes()
            held = database
            for id in 0..<3 {
                // Captured values end with the body.
                try await database.write { db in _ = try withExtendedLifetime(database) { try db.run("SELECT \(id)") } }
                _ = try await database.noteIDs()
            }
        }
        // The connection's thread may still hold the last body.
        while held != nil, !Task.isCancelled { await Task.yield() }
        #expect(held == nil)
    }

    @Test("A closed database refuses calls, at once and later")
    func closed() async throws {
        let database = try await Bench().openWithNotes()
        database.close()
        let closed = DatabaseFailure(.unavailable, detail: "the database is closed")
        await #expect(throws: closed) { try await database.addNote(1) }
        await #expect(throws: closed) { try await database.noteIDs() }
    }
}

extension Sequence {
    /// One after the other.
    func asyncMap<Value>(_ change: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await change(element)) }
        return values
    }
}
