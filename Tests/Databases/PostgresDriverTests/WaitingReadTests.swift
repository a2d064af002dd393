import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: reads behind a slow one", .needsServer, .timeLimit(.minutes(5)))
struct WaitingReadTests {
    /// Reads wait behind each other, and for a locked table.
    private func world(
        callerLimit: Int = 1_000, clock: StandingClock
    ) async throws -> (PostgresDatabase, lock: HeldWrite, slowReadBegan: () async throws -> Void) {
        let bench = try await Bench()
        let name = "waits-\(bench.schema)"
        let holder = try await bench.openWithNotes()
        try await holder.addNote(1)
        let node = try bench.open(
            4, "&application_name=\(name)",
            change: { settings in
                settings.callerLimit = callerLimit
                settings.waitLimit = .seconds(10)
                settings.sharedReadLimit = .seconds(60)
            }, uptime: { clock.now })
        let lock = HeldWrite(holder) { db in try db.run("LOCK TABLE note IN ACCESS EXCLUSIVE MODE") }
        await lock.hasBegun()
        return (node, lock, { try await holder.awaitLock(of: name) })
    }

    private func one(_ node: PostgresDatabase) async throws -> Int64? {
        try await node.row("SELECT 1") { $0.int() }
    }

    @Test("A read past its time limit is answered, although an earlier one still runs on the connection")
    func deadline() async throws {
        let clock = StandingClock()
        let (node, lock, slowReadBegan) = try await world(clock: clock)
        let slow = Task { try await node.noteIDs() }
        try await slowReadBegan()
        let behind = Task { try await one(node) }
        while node.unansweredReads < 2 { await Task.yield() }
        // Its caller has gone, but the server still runs it.
        slow.cancel()
        await #expect(throws: CancellationError.self) { try await slow.value }
        clock.advance(.seconds(11))
        let next = Task { try await one(node) }
        let failure = await #expect(throws: DatabaseFailure.self) { try await behind.value }
        #expect(failure?.isPassing == true)
        try await lock.finish()
        #expect(try await next.value == 1)
    }

    @Test("Reads beyond the waiting limit are refused at once; the others are answered")
    func bound() async throws {
        let (node, lock, _) = try await world(callerLimit: 5, clock: StandingClock())
        let refused = Tally()
        let reads = (0..<20).map { _ in
            Task {
                do {
                    return try await node.noteIDs()
                } catch let failure as DatabaseFailure where failure.isPassing {
                    refused.add()
                    return []
                }
            }
        }
        while refused.value < 15 { await Task.yield() }
        #expect(node.unansweredReads == 5)
        try await lock.finish()
        var answered = 0
        for read in reads where try await read.value == [1] { answered += 1 }
        #expect(answered == 5)
    }
}
