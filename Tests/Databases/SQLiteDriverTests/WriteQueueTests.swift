import SQLDatabase
import SQLiteDriver
import Synchronization
import TestDatabases
import Testing

@Suite("Writes in the queue", .timeLimit(.minutes(5)))
struct WriteQueueTests {
    private func database(
        callerLimit: Int = 40, uptime: @escaping @Sendable () -> Duration = { .zero }
    ) async throws -> SQLiteDatabase {
        var settings = SQLiteSettings()
        settings.callerLimit = callerLimit
        let database = try Workbench().open(settings: settings, uptime: uptime)
        try await database.addNoteTable()
        return database
    }

    @Test("While the lock is held, writes wait up to the limit, others are refused at once, and none is half done")
    func bound() async throws {
        let database = try await database()
        let held = HeldWrite(database) { _ in }
        await held.hasBegun()
        let refused = Tally()
        let writes = (1...100).map { id in
            Task { () -> Int? in
                do {
                    try await database.addNote(id)
                    return id
                } catch let failure as DatabaseFailure where failure.reason == .tooManyCallers {
                    refused.add()
                    return nil
                }
            }
        }
        while refused.value < 60 { await Task.yield() }
        #expect(database.waitingWrites == 40)
        try await held.finish()
        var done: [Int] = []
        for write in writes { if let id = try await write.value { done.append(id) } }
        #expect(done.count == 40)
        #expect(try await database.noteIDs() == done)
    }

    @Test("A write whose caller is cancelled leaves the queue and changes nothing")
    func cancelled() async throws {
        let database = try await database()
        let held = HeldWrite(database) { _ in }
        await held.hasBegun()
        let writes = (1...20).map { id in Task { try await database.addNote(id) } }
        while database.waitingWrites < 20 { await Task.yield() }
        for write in writes { write.cancel() }
        // The writer is still held.
        for write in writes { await #expect(throws: CancellationError.self) { try await write.value } }
        #expect(database.waitingWrites == 0)
        try await held.finish()
        #expect(try await database.noteIDs() == [])
    }

    @Test("A caller cancelled on arrival is not forgotten")
    func leavingAtOnce() async throws {
        let database = try await database()
        let held = HeldWrite(database) { _ in }
        await held.hasBegun()
        for id in 1...300 {
            let write = Task { try await database.addNote(id) }
            await Task.yield()
            write.cancel()
            await #expect(throws: CancellationError.self) { try await write.value }
        }
        try await held.finish()
        #expect(try await database.noteIDs() == [])
    }

    @Test("A write past its time limit at its turn does not start")
    func late() async throws {
        let now = Mutex(Duration.zero)
        let database = try await database { now.withLock { $0 } }
        let held = HeldWrite(database) { _ in }
        await held.hasBegun()
        let late = Task { try await database.addNote(1) }
        while database.waitingWrites < 1 { await Task.yield() }
        now.withLock { $0 = .seconds(11) }
        let inTime = Task { try await database.addNote(2) }
        while database.waitingWrites < 2 { await Task.yield() }
        try await held.finish()
        let failure = await #expect(throws: DatabaseFailure.self) { try await late.value }
        #expect(failure?.reason == .tooManyCallers)
        try await inTime.value
        #expect(try await database.noteIDs() == [2])
    }

    @Test("While another program locks the file, waiting writes can be cancelled")
    func otherProgram() async throws {
        let bench = try Workbench()
        let (first, second) = (try await bench.openWithNotes(), try bench.open())
        let held = HeldWrite(first) { db in try db.run("INSERT INTO note (id, text) VALUES (1, '')") }
        await held.hasBegun()
        let write = Task { try await second.addNote(2) }
        while second.waitingWrites < 1 { await Task.yield() }
        write.cancel()
        await #expect(throws: CancellationError.self) { try await write.value }
        try await held.finish()
        #expect(try await second.noteIDs() == [1])
    }
}
