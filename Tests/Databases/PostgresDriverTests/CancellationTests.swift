import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: cancelled callers, and callers that must not wait for others", .needsServer)
struct CancellationTests {
    /// One with recognizable statements, and another that holds their locks.
    private func nodes(_ connections: Int = 1) async throws -> (PostgresDatabase, String, holder: PostgresDatabase) {
        let bench = try await Bench()
        let holder = try await bench.openWithNotes()
        try await holder.addNote(1)
        let name = "leaves-\(bench.schema)"
        return (try bench.open(connections, "&application_name=\(name)"), name, holder)
    }

    @Test("A cancelled caller stops its waiting statement and frees the connection")
    func running() async throws {
        let (node, name, holder) = try await nodes()
        let held = HeldWrite(holder) { db in try db.run("UPDATE note SET text = 'held'") }
        await held.hasBegun()
        let running = Task { try await node.run("UPDATE note SET text = 'left'") }
        try await holder.awaitLock(of: name)
        let waiting = Task { try await node.addNote(2) }
        while node.poolUse.waiting == 0 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        // While the row is still locked.
        #expect(try await node.process() > 0)
        try await held.finish()
        #expect(try await node.noteTexts() == ["held"])
    }

    @Test("A caller cancelled on arrival is not forgotten", arguments: [false, true])
    func leavingAtOnce(_ reads: Bool) async throws {
        let (node, _, holder) = try await nodes()
        let held = HeldWrite(node) { db in try db.run("SELECT 1") }
        await held.hasBegun()
        let lock = HeldWrite(holder) { db in try db.run("LOCK TABLE note IN ACCESS EXCLUSIVE MODE") }
        await lock.hasBegun()
        for _ in 0..<60 {
            let task = Task { if reads { _ = try await node.noteIDs() } else { try await node.addNote(9) } }
            await Task.yield()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await lock.finish()
        try await held.finish()
        #expect(try await node.noteIDs() == [1])
    }

    @Test("A read that waits for a locked table blocks no other read")
    func readBehindLock() async throws {
        let (node, name, holder) = try await nodes(4)
        let held = HeldWrite(holder) { db in try db.run("LOCK TABLE note IN ACCESS EXCLUSIVE MODE") }
        await held.hasBegun()
        let stuck = Task { try await node.noteIDs() }
        try await holder.awaitLock(of: name)
        for number in 0..<50 {
            let back = try await node.read { db in try db.row("SELECT \(number)") { Int($0.int()) } }
            #expect(back == number)
        }
        try await held.finish()
        #expect(try await stuck.value == [1])
    }

    @Test("A statement cancelled in place of another runs again, in any language of the server")
    func stoppedByMistake() async throws {
        let (node, _, _) = try await nodes()
        try await node.raisesOnce("57014", "storniere Anfrage wegen Benutzeraufforderung")
        let bodies = Tally()
        let answer = try await node.write { db in
            bodies.add()
            return try db.row("SELECT raised()") { $0.int() }
        }
        #expect(answer == 2)
        #expect(bodies.value == 2)
    }

    @Test("A caller on a server that became a follower retries on a new connection")
    func readOnlyServer() async throws {
        let (node, _, _) = try await nodes()
        try await node.raisesOnce("25006", "cannot execute UPDATE in a read-only transaction")
        let before = try await node.process()
        #expect(try await node.rowOfWrite("SELECT raised()") { $0.int() } == 2)
        #expect(try await node.process() != before)
    }

    @Test("A prepared statement that was lost on the way is prepared again", arguments: [false, true])
    func forgottenStatements(_ reads: Bool) async throws {
        let (node, _, _) = try await nodes()
        @Sendable func ids() async throws -> [Int] {
            if reads { return try await node.noteIDs() }
            return try await node.write { db in try db.rows("SELECT id FROM note") { Int($0.int()) } }
        }
        #expect(try await ids() == [1])
        if reads {
            _ = try await node.read { db in try db.rows("DEALLOCATE ALL") { _ in } }
        } else {
            try await node.run("DEALLOCATE ALL")
        }
        #expect(try await ids() == [1])
    }

    @Test("A statement continues after a change of its table", arguments: [false, true])
    func changedTable(_ reads: Bool) async throws {
        let (node, _, holder) = try await nodes()
        let all: SQL = "SELECT * FROM note"
        @Sendable func count() async throws -> Int {
            if reads { return try await node.read { db in try db.rows(all) { _ in true }.count } }
            return try await node.write { db in try db.rows(all) { _ in true }.count }
        }
        #expect(try await count() == 1)
        try await holder.run("ALTER TABLE note ADD COLUMN colour text")
        #expect(try await count() == 1)
    }

    @Test("A node that waits for a lock stops waiting when its caller is cancelled")
    func exclusiveWork() async throws {
        let bench = try await Bench()
        let (first, second) = (try bench.open(1), try bench.open(1))
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let long = Task {
            try await first.exclusively("purge", waits: false) {
                begin.yield()
                for await _ in stream { break }
            }
        }
        for await _ in began { break }
        let patient = Task { try await second.exclusively("purge", waits: true) { true } }
        patient.cancel()
        await #expect(throws: CancellationError.self) { try await patient.value }
        end.yield()
        #expect(try await long.value != nil)
    }
}

extension PostgresDatabase {
    /// Fails with `state` at the first call, then returns the number of calls.
    fileprivate func raisesOnce(_ state: String, _ message: String) async throws {
        try await run("CREATE SEQUENCE calls")
        try await run(
            SQL(
                stringLiteral: """
                    CREATE FUNCTION raised() RETURNS bigint LANGUAGE plpgsql AS $$
                    DECLARE call bigint := nextval('calls');
                    BEGIN
                        IF call = 1 THEN RAISE EXCEPTION '\(message)' USING ERRCODE = '\(state)'; END IF;
                        RETURN call;
                    END $$
                    """))
    }
}
