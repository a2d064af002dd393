import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: the order of callers", .needsServer)
struct PoolTests {
    @Test("Callers get a connection in the order of arrival")
    func order() async throws {
        let database = try await Bench().openWithNotes(1)
        let held = HeldWrite(database) { db in try db.run("SELECT 1") }
        await held.hasBegun()
        let order = Told<Int>()
        let tasks = await (0..<20).asyncMap { number in
            let task = Task {
                try await database.write { db in
                    order.add(number)
                    try db.run("SELECT 1")
                }
            }
            while database.poolUse.waiting <= number { await Task.yield() }
            return task
        }
        try await held.finish()
        for task in tasks { try await task.value }
        #expect(order.all == Array(0..<20))
    }

    @Test("Used and idle connections and waiting callers can be counted")
    func use() async throws {
        let database = try await Bench().open(1)
        #expect(database.poolUse == PoolUse(limit: 1, used: 0, idle: 0, waiting: 0))
        let held = HeldWrite(database) { db in try db.run("SELECT 1") }
        await held.hasBegun()
        #expect(database.poolUse == PoolUse(limit: 1, used: 1, idle: 0, waiting: 0))
        let waiting = Task { try await database.process() }
        while database.poolUse.waiting == 0 { await Task.yield() }
        #expect(database.poolUse == PoolUse(limit: 1, used: 1, idle: 0, waiting: 1))
        try await held.finish()
        _ = try await waiting.value
        // The caller gets its result before the thread returns the connection.
        while database.poolUse.used > 0 { await Task.yield() }
        #expect(database.poolUse == PoolUse(limit: 1, used: 0, idle: 1, waiting: 0))
    }

    @Test("A caller that waited until its time limit is refused, and later ones keep their turn")
    func late() async throws {
        let time = StandingClock()
        let database = try await Bench().open(1, uptime: { time.now })
        let held = HeldWrite(database) { db in try db.run("SELECT 1") }
        await held.hasBegun()
        let early = Task { try await database.process() }
        while database.poolUse.waiting < 1 { await Task.yield() }
        time.advance(.seconds(599))
        let patient = Task { try await database.process() }
        while database.poolUse.waiting < 2 { await Task.yield() }
        time.advance(.seconds(1))
        let late = Task { try await database.process() }
        let failure = await #expect(throws: DatabaseFailure.self) { try await early.value }
        #expect(failure?.reason == .tooManyCallers)
        try await held.finish()
        let (second, third) = (try await patient.value, try await late.value)
        #expect(second == third)
    }

    @Test("A waiting migration blocks other callers only until its time limit")
    func lateBehindSchema() async throws {
        let time = StandingClock()
        let database = try await Bench().open(
            1, change: { ($0.callerLimit, $0.waitLimit) = (2, .seconds(60)) }, uptime: { time.now })
        let held = HeldWrite(database) { db in try db.run("SELECT 1") }
        await held.hasBegun()
        let schema = Task { try await database.changeSchema { db in try db.run("SELECT 1") } }
        while database.poolUse.waiting < 1 { await Task.yield() }
        let late = Task { try await database.process() }
        while database.poolUse.waiting < 2 { await Task.yield() }
        time.advance(.seconds(60))
        // A third fits only after the second was refused.
        let third = Task {
            do { return try await database.process() } catch {
                held.letGo()
                throw error
            }
        }
        await #expect(throws: DatabaseFailure.self) { try await late.value }
        try await held.finish()
        _ = try await (schema.value, third.value)
    }
}
