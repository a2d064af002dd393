import SQLDatabase
import SQLiteDriver
import Synchronization
import TestDatabases
import Testing

@Suite("SQLite: shared commits")
struct GroupCommitTests {
    @Test("Of 100 concurrent writes exactly those that threw are missing, and the others share commits")
    func neighboursSurvive() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        let answers = try await database.writeTogether(100) { number, db in
            try db.run("INSERT INTO note (id, text) VALUES (\(number), '')")
            if number % 7 == 0 { throw Refused(number: number) }
            if number % 11 == 0 { try db.run("INSERT INTO note (id, text) VALUES (\(number), 'again')") }
            if number % 13 == 0 { try db.run("UPDATE note SET text = NULL WHERE id = \(number)") }
        }
        let kept = (1...100).filter { $0 % 7 != 0 && $0 % 11 != 0 && $0 % 13 != 0 }
        #expect(try await database.noteIDs() == kept)
        for (number, answer) in answers {
            switch (kept.contains(number), answer) {
            case (true, .success): continue
            case (false, .failure(let error)) where number % 7 == 0:
                #expect(error as? Refused == Refused(number: number))
            case (false, .failure(let error)): #expect((error as? DatabaseFailure)?.isConstraintViolation == true)
            default: Issue.record("write \(number) was answered \(answer)")
            }
        }
        #expect(answers.count == 100)
        #expect(bench.commits.count < 50)
        #expect(bench.commits.reduce(0, +) == 101)
    }

    @Test("A refused write is invisible to the others in its batch")
    func isolation() async throws {
        let database = try await Workbench().openWithNotes()
        let seen = Mutex<[Int: Int64]>([:])
        _ = try await database.writeTogether(40) { number, db in
            let before = try db.row("SELECT count(*) FROM note WHERE text = 'refused'") { $0.int() }
            seen.withLock { $0[number] = before }
            guard number % 2 == 0 else { return }
            try db.run("INSERT INTO note (id, text) VALUES (\(number), 'refused')")
            throw Refused(number: number)
        }
        #expect(seen.withLock { $0.values.allSatisfy { $0 == 0 } })
        #expect(seen.withLock { $0.count } == 40)
    }

    @Test("Dependent changes lose none, however many run concurrently")
    func counter() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1, "0")
        let answers = try await database.writeTogether(300) { _, db in
            let count = try db.row("SELECT text FROM note WHERE id = 1") { Int($0.text()) ?? 0 } ?? 0
            try db.run("UPDATE note SET text = \(String(count + 1)) WHERE id = 1")
        }
        #expect(answers.count == 300)
        let text = try await database.read { db in try db.row("SELECT text FROM note") { $0.text() } }
        #expect(text == "300")
    }

    @Test("A single write has its own commit")
    func alone() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        for id in 1...3 { try await database.addNote(id) }
        // The last one is observed before its caller gets the result.
        #expect(bench.commits == [1, 1, 1])
    }

    @Test("Every write waits for the commit with its rows, a failed one too")
    func answersAfterCommit() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        let other = try bench.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...50 {
                group.addTask {
                    try await database.addNote(id)
                    #expect(try await other.noteIDs().contains(id))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Every statement of a body reaches the observer")
    func statementsAreCounted() async throws {
        let (bench, statements) = (try Workbench(), Tally())
        let database = try SQLiteDatabase(path: bench.path(), uptime: { .zero }) { event in
            if case .statement = event { statements.add() }
        }
        try await database.write { db in
            try db.run("CREATE TABLE note (id INTEGER)")
            try db.run("INSERT INTO note (id) VALUES (1)")
        }
        _ = try await database.read { db in try db.rows("SELECT id FROM note") { $0.int() } }
        #expect(statements.value == 3)
    }
}
