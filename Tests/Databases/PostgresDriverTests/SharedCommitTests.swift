import Foundation
import SQLDatabase
import TestDatabases
import Testing

@testable import PostgresDriver

@Suite("Shared commits", .needsServer)
struct SharedCommitTests {
    private static func rename(_ id: Int, to text: String) -> SQL {
        "UPDATE note SET text = \(text) \(.ofMany) WHERE id = \(id) AND text <> \("\(id)")"
    }

    @Test("Concurrent callers get their own counts, and all rows are written")
    func together() async throws {
        let (bench, events) = (try await Bench(), Told<DatabaseEvent>())
        let database = try bench.open { events.add($0) }
        try await database.run("CREATE TABLE note (id \(.integer) PRIMARY KEY, text \(.text) NOT NULL) \(.table)")
        for id in 0..<20 { try await database.addNote(id) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 0..<200 { group.addTask { try await database.change(Self.rename(id, to: "new")) } }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(counts == [1: 20, 0: 180])
        #expect(try await database.read { try $0.rows("SELECT 1 FROM note WHERE text = 'new'") { _ in 1 } }.count == 20)
        let shared = events.all.reduce(0) { sum, event in
            if case .commit(let callers, _) = event, callers > 0 { sum + callers } else { sum }
        }
        // 21 created the table and its rows.
        #expect(shared == 200 + 21)
    }

    @Test("Concurrent callers of different statements each get their own result")
    func different() async throws {
        let database = try await Bench().openWithNotes()
        for id in 0..<40 { try await database.addNote(id) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 0..<40 {
                let row = "\(id)"
                // With the same values.
                let removal: SQL =
                    "DELETE FROM note \(.ofMany) WHERE text <> \("new") AND id = \(id) AND text <> \(row)"
                let statement = id % 2 == 0 ? Self.rename(id, to: "new") : removal
                group.addTask { try await database.change(statement) }
            }
            for try await count in group { #expect(count == 1) }
        }
        let left = try await database.read { try $0.rows("SELECT id FROM note WHERE text = 'new'") { $0.int() } }
        #expect(left.sorted() == (0..<20).map { $0 * 2 })
    }

    @Test("Only the caller that violates a constraint is refused")
    func alone() async throws {
        let database = try await Bench().openWithNotes()
        for id in 0..<10 { try await database.addNote(id) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<10 {
                group.addTask {
                    let count = try await database.change(Self.rename(id, to: "new"))
                    #expect(count == 1)
                }
                group.addTask {
                    await #expect(throws: DatabaseFailure.self) {
                        _ = try await database.change(
                            "UPDATE note SET id = id + 1 \(.ofMany) WHERE id = \(id) AND id < 9")
                        _ = try await database.change(Self.rename(9, to: "a\0b"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.noteIDs() == Array(0..<10))
    }

    @Test("Only the caller with an unsendable value is refused")
    func unsendable() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        for id in 0..<3 { try await database.addNote(id) }
        let batch = [Self.rename(0, to: "new"), Self.rename(1, to: "a\0b"), Self.rename(2, to: "new")]
        #expect(try await bench.carryOut(batch, within: .seconds(60)) == [.done, .refused, .done])
    }

    @Test("Only the caller that changes a locked row waits, and others continue")
    func held() async throws {
        let database = try await Bench().openWithNotes()
        for id in 0..<3 { try await database.addNote(id) }
        let held = HeldWrite(database) { db in try db.run("UPDATE note SET text = 'held' WHERE id = 0") }
        await held.hasBegun()
        let waiting = (0..<8).map { _ in Task { try await database.change(Self.rename(0, to: "new")) } }
        for turn in 0..<20 {
            let count = try await database.change(Self.rename(1 + turn % 2, to: "turn \(turn)"))
            #expect(count == 1)
        }
        try await held.finish()
        for task in waiting { #expect(try await task.value == 1) }
    }

    @Test("A caller that arrives during the wait for a row is not delayed")
    func secondConnection() async throws {
        let bench = try await Bench()
        let holder = try await bench.openWithNotes()
        for id in 0..<4 { try await holder.addNote(id) }
        let name = "second-\(bench.schema)"
        let database = try bench.open(
            1, "&application_name=\(name)", change: { $0.sharedLockLimit = .seconds(60) })
        let held = HeldWrite(holder) { db in try db.run("UPDATE note SET text = 'held' WHERE id = 0") }
        await held.hasBegun()
        let first = Task { try await database.change(Self.rename(0, to: "new")) }
        try await holder.awaitLock(of: name)
        for id in 1..<4 { #expect(try await database.change(Self.rename(id, to: "new")) == 1) }
        try await held.finish()
        #expect(try await first.value == 1)
    }

    @Test("A caller that arrives during a batch's retry is not delayed")
    func refusedForNow() async throws {
        let bench = try await Bench()
        let holder = try await bench.openWithNotes()
        for id in 0..<4 { try await holder.addNote(id) }
        try await bench.refuseForNow()
        let (name, (pauses, pause)) = ("refused-\(bench.schema)", AsyncStream.makeStream(of: Void.self))
        let database = try bench.open(
            1, "&application_name=\(name)",
            change: { settings in
                settings.sharedLockLimit = .seconds(60)
                settings.callerLimit = 8
                // Called for the pause before each retry.
                settings.chance = {
                    pause.yield()
                    return 0
                }
            })
        let held = HeldWrite(holder) { db in try db.run("UPDATE note SET text = 'held' WHERE id = 0") }
        await held.hasBegun()
        // Both connections wait, and a batch forms behind them.
        var first: [Task<Int, any Error>] = []
        for statements in 1...2 {
            first.append(Task { try await database.change(Self.rename(0, to: "new")) })
            try await holder.awaitLock(of: name, statements: statements)
        }
        let batch = await database.crowd(Self.rename(1, to: "refused"))
        try await held.finish()
        for await _ in pauses { break }
        #expect(try await database.change(Self.rename(2, to: "new")) == 1)
        try await holder.run("DELETE FROM note WHERE id = 3")
        for task in first + batch { _ = try await task.value }
    }

    @Test("A locked row costs a batch two waits, for any number of callers, and the others finish")
    func heldInBatch() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        for id in 0..<4 { try await database.addNote(id) }
        let held = HeldWrite(database) { db in try db.run("UPDATE note SET text = 'held' WHERE id = 1") }
        await held.hasBegun()
        let wanted = [0] + (0..<40).map { _ in 1 } + [2, 3]
        // One wait is 250 ms; two would take twice the limit.
        let told = try await bench.carryOut(wanted.map { Self.rename($0, to: "new") }, within: .seconds(5))
        #expect(told == wanted.map { $0 == 1 ? .held : .done })
        try await held.finish()
    }

    @Test("A batch that meets a second locked row stops waiting")
    func heldRows() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        for id in 0..<40 { try await database.addNote(id) }
        let held = HeldWrite(database) { db in try db.run("UPDATE note SET text = 'held'") }
        await held.hasBegun()
        let told = try await bench.carryOut((0..<40).map { Self.rename($0, to: "new") }, within: .seconds(5))
        #expect(told == (0..<40).map { _ in .held })
        try await held.finish()
    }

    @Test("A wait for a row on the shared connection and then on the pool has one time limit in total")
    func waitLimit() async throws {
        let (bench, time) = (try await Bench(), StandingClock())
        let holder = try await bench.openWithNotes()
        try await holder.addNote(1)
        let name = "limit-\(bench.schema)"
        // Long enough to be observed.
        let database = try bench.open(
            1, "&application_name=\(name)", change: { $0.sharedLockLimit = .seconds(2) }, uptime: { time.now })
        let (row, pool) = (
            HeldWrite(holder) { db in try db.run("UPDATE note SET text = 'held'") },
            HeldWrite(database) { db in try db.run("SELECT 1") }
        )
        await row.hasBegun()
        await pool.hasBegun()
        let change = Task { try await database.change(Self.rename(1, to: "new")) }
        // On a busy machine the wait may be over before it is seen.
        while try await holder.lockWaits(of: name) == 0, database.poolUse.waiting == 0 { await Task.yield() }
        time.advance(.seconds(300))
        while database.poolUse.waiting == 0 { await Task.yield() }
        time.advance(.seconds(300))
        try await pool.finish()
        try await row.finish()
        await #expect(throws: DatabaseFailure.self) { try await change.value }
    }

    @Test("A connection that the server closed cleanly is not used, and no outcome is unknown")
    func ended() async throws {
        let bench = try await Bench()
        let other = try await bench.openWithNotes()
        try await other.addNote(1)
        let name = "ended-\(bench.schema)"
        let database = try bench.open(1, "&application_name=\(name)")
        for turn in 0..<5 {
            #expect(try await database.change(Self.rename(1, to: "turn \(turn)")) == 1)
            try await other.endSessions(of: name)
        }
    }

    @Test("After a lost connection every caller gets an answer, and the next change succeeds")
    func lost() async throws {
        let bench = try await Bench()
        let name = "lost-\(bench.schema)"
        let database = try bench.open(4, "&application_name=\(name)", change: { $0.sharedLockLimit = .seconds(60) })
        try await database.addNoteTable()
        try await database.addNote(1)
        let held = HeldWrite(database) { db in try db.run("UPDATE note SET text = 'held' WHERE id = 1") }
        await held.hasBegun()
        let change = Task { try await database.change(Self.rename(1, to: "new")) }
        // Until it waits for the row; then it is cut off.
        while try await database.read({ db in
            try db.row(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND application_name = \(name)
                """
            ) { $0.bool() }
        }) != true {}
        do {
            _ = try await change.value
            Issue.record("it was told that it happened")
        } catch let failure as DatabaseFailure {
            #expect(failure.reason == .unknownOutcome)
        }
        try await held.finish()
        #expect(try await database.change(Self.rename(1, to: "newer")) == 1)
    }

    @Test("A caller cancelled during a server outage, while a thread reconnects, is released")
    func cancelledMeanwhile() async throws {
        let (retries, retry) = AsyncStream.makeStream(of: Void.self)
        var settings = PostgresSettings()
        // Called for the pause before each retry.
        settings.chance = {
            retry.yield()
            return 0
        }
        let database = try PostgresDatabase(
            ConnectionURL("postgres:///postgres?host=/nonexistent&user=gatehouse"), settings: settings, uptime: uptime)
        let change = Task { try await database.change(Self.rename(1, to: "new")) }
        for await _ in retries { break }
        change.cancel()
        await #expect(throws: CancellationError.self) { try await change.value }
    }

    @Test("A caller cancelled before its change was requested is released")
    func cancelled() async throws {
        let database = try await Bench().openWithNotes()
        let change = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await database.change(Self.rename(1, to: "new"))
        }
        await #expect(throws: CancellationError.self) { try await change.value }
        database.close()
        await #expect(throws: DatabaseFailure.self) { try await database.change(Self.rename(1, to: "new")) }
    }
}

extension SQL {
    /// A query without rows.
    fileprivate static var nothing: SQL { "SELECT id FROM note \(.ofMany) WHERE id < 0" }
}

extension PostgresDatabase {
    /// - Returns: The number of changed rows.
    fileprivate func change(_ statement: SQL) async throws -> Int {
        try await change(statement, thenRead: .nothing) { $0.int() }.count
    }

    /// Until one more is refused.
    fileprivate func crowd(_ statement: SQL) async -> [Task<Int, any Error>] {
        let turnedAway = Told<DatabaseFailure>()
        var asked: [Task<Int, any Error>] = []
        while turnedAway.all.isEmpty {
            let task = Task {
                do {
                    return try await change(statement)
                } catch let failure as DatabaseFailure where failure.reason == .tooManyCallers {
                    turnedAway.add(failure)
                    return 0
                }
            }
            asked.append(task)
            await Task.yield()
        }
        return asked
    }
}

extension Bench {
    /// While there is a note 3.
    fileprivate func refuseForNow() async throws {
        let database = try open(1)
        try await database.run(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN
                IF EXISTS (SELECT 1 FROM note WHERE note.id = 3) THEN
                    RAISE EXCEPTION ''not now'' USING ERRCODE = ''serialization_failure'';
                END IF;
                RETURN NEW;
            END'
            """)
        try await database.run(
            """
            CREATE TRIGGER refusal BEFORE UPDATE ON note FOR EACH ROW WHEN (NEW.text = 'refused')
            EXECUTE FUNCTION refuse()
            """)
    }

    fileprivate enum Outcome { case done, held, refused }

    /// - Returns: Results in the batch's order.
    fileprivate func carryOut(_ batch: [SQL], within limit: Duration) async throws -> [Outcome] {
        let plan = SessionPlan(
            parameters: try cluster.url(schema: schema).parameters(connectLimit: .seconds(10)),
            settings: ["lock_timeout": "250"], connectLimit: .seconds(10), statementLimit: .seconds(60),
            uptime: uptime)
        let told = Told<(id: UInt64, Outcome)>()
        let deadline = uptime() + limit
        let changes = batch.enumerated().map { index, statement in
            Change(id: UInt64(index), statement: statement, query: .nothing, deadline: deadline) { result in
                switch result {
                case .success: told.add((UInt64(index), .done))
                case .failure(is RowIsHeld): told.add((UInt64(index), .held))
                case .failure: told.add((UInt64(index), .refused))
                }
            }
        }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            var thread = SharedCommitThread(SharedCommits(plan, PostgresSettings()) { _ in })
            thread.carryOut(changes)
            end.finish()
        }
        for await _ in ends {}
        return told.all.sorted { $0.id < $1.id }.map(\.1)
    }
}
