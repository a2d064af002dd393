import SQLDatabase
import SQLiteDriver
import Synchronization
import TestDatabases
import Testing

@Suite("Slow reads", .timeLimit(.minutes(5)))
struct SlowReadTests {
    /// An endless read.
    @Sendable private static func endless(_ db: any Connection) throws -> Int64? {
        try db.row(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        ) { $0.int() }
    }

    @Test("More endless reads than threads block no other read, end when cancelled, and leave nothing behind")
    func others() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1)
        let endless = (0..<20).map { _ in Task { try await database.read(Self.endless) } }
        while database.waitingReads < 18 { await Task.yield() }
        #expect(try await database.noteIDs() == [1])
        try await database.addNote(2)
        #expect(try await database.noteIDs() == [1, 2])
        for task in endless { task.cancel() }
        for task in endless { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(database.waitingReads == 0)
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("Slow reads beyond the waiting limit are refused at once")
    func tooMany() async throws {
        let database = try await Workbench().openWithNotes()
        let endless = (0..<66).map { _ in Task { try await database.read(Self.endless) } }
        while database.waitingReads < 64 { await Task.yield() }
        let failure = await #expect(throws: DatabaseFailure.self) { try await database.read(Self.endless) }
        #expect(failure?.reason == .tooManyCallers)
        for task in endless { task.cancel() }
        for task in endless { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test("A read that exceeds its limit ends and can be retried")
    func limit() async throws {
        var settings = SQLiteSettings()
        settings.readLimit = .seconds(10)
        let seconds = Tally()
        // A clock that advances at each reading.
        let database = try Workbench().open(settings: settings) { .seconds(seconds.add()) }
        let failure = await #expect(throws: DatabaseFailure.self) { try await database.read(Self.endless) }
        #expect(failure == DatabaseFailure(.interrupted, detail: "a read took too long"))
        #expect(try await database.read { db in try db.row("SELECT 7") { $0.int() } } == 7)
    }

    @Test("A slow read gives the same result as a quick one: the body runs again from its start")
    func again() async throws {
        let database = try await Workbench().openWithNotes()
        let runs = Tally()
        let sum = try await database.read { db in
            runs.add()
            return try db.row(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT sum(i) FROM n
                """
            ) { $0.int() }
        }
        #expect(sum == 5_000_050_000)
        #expect(runs.value == 2)
    }

    @Test("A slow query combines each of its rows once")
    func slowQuery() async throws {
        let database = try await Workbench().openWithNotes()
        let numbers = try await database.rows(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            SELECT i FROM n WHERE i = 1 OR i % 50000 = 0
            """, into: [Int64]()
        ) { $0.append($1.int()) }
        #expect(numbers == [1, 50_000, 100_000])
        #expect(try await database.row("SELECT 7") { $0.int() } == 7)
    }

    @Test("A lookup runs once, on its caller's thread, however often it has run")
    func quick() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1)
        let runs = Tally()
        for _ in 0..<5_000 {
            _ = try await database.read { db in
                runs.add()
                return try db.rows("SELECT id FROM note WHERE id = \(1)") { $0.int() }
            }
        }
        #expect(runs.value == 5_000)
    }

    @Test("A body's own error reaches the caller, also after a slow statement")
    func ownError() async throws {
        let database = try await Workbench().openWithNotes()
        await #expect(throws: Refused.self) {
            try await database.read { db in
                _ = try db.rows("SELECT 1") { $0.int() }
                throw Refused()
            }
        }
    }
}
