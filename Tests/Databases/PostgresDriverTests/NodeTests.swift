import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: many nodes", .needsServer)
struct NodeTests {
    private let steps = [
        Migration(1, "notes", ["CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text)) \(.table)"]),
        Migration(
            2, "first", ["INSERT INTO note (id, text) VALUES (1, 'both')"],
            dialectStatements: [
                .postgresql: ["INSERT INTO note (id, text) VALUES (2, 'here')"],
                .sqlite: ["INSERT INTO note (id, text) VALUES (3, 'there')"],
            ]),
    ]

    @Test("Of ten nodes that start together one migrates, once")
    func migrations() async throws {
        let bench = try await Bench()
        let nodes = try (0..<10).map { _ in try bench.open(1) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for node in nodes { group.addTask { try await node.migrate(steps) } }
            try await group.waitForAll()
        }
        #expect(try await nodes[0].noteIDs() == [1, 2])
        #expect(try await nodes[9].appliedMigrations() == [1, 2])
    }

    @Test("A role that may not change the schema starts if it is up to date")
    func upToDate() async throws {
        let bench = try await Bench()
        try await bench.open().migrate(steps)
        let reader = try bench.open(1, "%20-cdefault_transaction_read_only%3Don")
        try await reader.migrate(steps)
        await #expect(throws: DatabaseFailure.self) {
            try await reader.migrate(steps + [Migration(3, "more", ["DROP TABLE note"])])
        }
    }

    @Test("A server that takes no changes says so, over connections of before too")
    func readOnly() async throws {
        let bench = try await Bench()
        let (writer, reader) = (try bench.open(), try bench.open(1, "%20-cdefault_transaction_read_only%3Don"))
        #expect(try await !writer.isReadOnly())
        #expect(try await reader.isReadOnly())
    }

    @Test("Locked work runs on one node at a time; others skip it or wait")
    func exclusive() async throws {
        let bench = try await Bench()
        let (first, second) = (try bench.open(1), try bench.open(1))
        let (stream, wake) = AsyncStream.makeStream(of: Void.self)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let order = Told<String>()
        let long = Task {
            try await first.exclusively("purge", waits: false) {
                begin.yield()
                for await _ in stream { break }
                order.add("first")
            }
        }
        for await _ in began { break }
        let left = try await second.exclusively("purge", waits: false) { true }
        #expect(left == nil)
        #expect(try await second.exclusively("other", waits: false) { true } == true)
        // Another installation in the same database.
        #expect(try await Bench().open(1).exclusively("purge", waits: false) { true } == true)
        let patient = Task {
            try await second.exclusively("purge", waits: true) { order.add("second") }
        }
        wake.yield()
        #expect(try await long.value != nil)
        #expect(try await patient.value != nil)
        #expect(order.all == ["first", "second"])
        await #expect(throws: Refused()) {
            try await first.exclusively("purge", waits: true) { throw Refused() }
        }
        #expect(try await second.exclusively("purge", waits: true) { true } == true)
    }

    @Test("A lock is free when its work has ended, and not later", arguments: [false, true])
    func free(isCancelled: Bool) async throws {
        let bench = try await Bench()
        let name = "free-\(bench.schema)"
        let database = try bench.open(1, "&application_name=\(name)")
        for _ in 0..<20 {
            let work = Task {
                try await database.exclusively("purge", waits: false) {
                    if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                    return true
                }
            }
            #expect(try await work.value == true)
            let held = try await database.rowOfWrite(
                """
                SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE locktype = 'advisory' AND application_name = \(name)
                """
            ) { $0.int() }
            #expect(held == 0)
        }
    }

    @Test("A thousand concurrent reads of one statement share one connection, and a failing one harms no other")
    func sharedReads() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        for id in 1...20 { try await database.addNote(id) }
        let name = "share-\(bench.schema)"
        // By this clock no read is slow. On a busy machine two may be, and their statement would move to the pool.
        let clock = StandingClock()
        let node = try bench.open(
            8, "&application_name=\(name)", change: { $0.sharedReadLimit = .seconds(600) }, uptime: { clock.now })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    if number % 10 == 3 {
                        await #expect(throws: DatabaseFailure.self) {
                            try await node.rows("SELECT nothing FROM note") { _ in }
                        }
                    } else if number % 10 == 7 {
                        await #expect(throws: DatabaseFailure.self) {
                            try await node.rows("SELECT 1 / \(0)") { _ in }
                        }
                    } else {
                        let ids = try await node.noteIDs()
                        #expect(ids == Array(1...20))
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await database.read { db in
            try db.row("SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)") { $0.int() }
        }
        #expect(count == 1)
    }

    @Test("A reader may handle an error itself, alone or after other statements")
    func answeredRefusal() async throws {
        let database = try await Bench().openWithNotes()
        for first in [false, true] {
            let hasTable = try await database.read { db in
                if first { _ = try db.rows("SELECT id FROM note") { _ in } }
                do {
                    _ = try db.rows("SELECT id FROM nowhere") { _ in }
                    return true
                } catch let failure as DatabaseFailure where failure.reason == .unknownName {
                    return false
                }
            }
            #expect(!hasTable)
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("A read may ask nothing, ignore the driver's error, or decide by the first result")
    func bodies() async throws {
        let database = try await Bench().openWithNotes()
        try await database.addNote(1)
        #expect(try await database.read { _ in 5 } == 5)
        await #expect(throws: Refused()) { try await database.read { _ in throw Refused() } }
        for _ in 0..<3 {
            let swallowed = try await database.read { db in
                // Ignored: the subject of this test.
                (try? db.row("SELECT id FROM note") { $0.int() }) ?? nil
            }
            #expect(swallowed == 1)
            let twice = try await database.read { db in
                let first = try db.row("SELECT id FROM note") { $0.int() } ?? 0
                return first == 1 ? try db.row("SELECT count(*) + 7 FROM note") { $0.int() } : nil
            }
            #expect(twice == 8)
        }
    }
}
