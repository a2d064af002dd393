import Foundation
import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("A failing database file")
struct FullDatabaseTests {
    private static let full = DatabaseFailure(.full, code: "13", detail: "database or disk is full")
    private let text = String(repeating: "x", count: 3_000)

    /// Limits the file to `extra` more pages.
    private func allow(_ extra: Int, _ database: SQLiteDatabase) async throws {
        try await database.write { db in
            let pages = try db.row("PRAGMA page_count") { Int($0.int()) } ?? 0
            _ = try db.rows(SQL(stringLiteral: "PRAGMA max_page_count = \(pages + extra)")) { $0.int() }
        }
    }

    @Test("On a full disk the write that does not fit fails, acknowledged ones survive, and free space helps")
    func full() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        try await allow(10, database)
        var kept: [Int] = []
        for id in 1...40 {
            switch await Result.of({ try await database.addNote(id, text) }) {
            case .success: kept.append(id)
            case .failure(let error): #expect(error as? DatabaseFailure == Self.full)
            }
        }
        #expect((5..<40).contains(kept.count))
        #expect(try await database.noteIDs() == kept)
        try await allow(1_000, database)
        try await database.addNote(100, text)
        #expect(try await database.noteIDs() == kept + [100])
        #expect(try await bench.open().noteIDs() == kept + [100])
        #expect(try await database.pragmaOfWriter("integrity_check") == "ok")
    }

    @Test("When many writes fill the disk, exactly the acknowledged ones are stored, and the others get the reason")
    func fullTogether() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        try await allow(20, database)
        let answers = try await database.writeTogether(100) { id, db in
            try db.run("INSERT INTO note (id, text) VALUES (\(id), \(text))")
        }
        var kept: [Int] = []
        for (id, answer) in answers {
            switch answer {
            case .success: kept.append(id)
            case .failure(let error): #expect(error as? DatabaseFailure == Self.full)
            }
        }
        // Writes that fit survive the ones that do not.
        #expect((15..<100).contains(kept.count))
        #expect(try await database.noteIDs() == kept.sorted())
        try await allow(1_000, database)
        try await database.addNote(1_000, text)
        #expect(try await database.noteIDs() == kept.sorted() + [1_000])
    }

    @Test("Of writes that share a commit only those that do not fit fail, in any order")
    func oneTooLarge() async throws {
        let database = try await Workbench().openWithNotes()
        try await allow(50, database)
        let long = String(repeating: "x", count: 400_000)
        let answers = try await database.writeTogether(100) { id, db in
            try db.run("INSERT INTO note (id, text) VALUES (\(id), \(id % 40 == 0 ? long : "small"))")
        }
        for (id, answer) in answers {
            switch answer {
            case .success: #expect(id % 40 != 0)
            case .failure(let error):
                #expect(id % 40 == 0)
                #expect(error as? DatabaseFailure == Self.full)
            }
        }
        #expect(try await database.noteIDs() == (1...100).filter { $0 % 40 != 0 })
    }

    @Test("A body that ignores a full disk does not report its rows as written")
    func swallowed() async throws {
        let database = try await Workbench().openWithNotes()
        try await allow(1, database)
        let long = String(repeating: "x", count: 100_000)
        let ended = DatabaseFailure(.other, detail: "the transaction has ended")
        let noSavepoint = DatabaseFailure(.other, code: "1", detail: "no such savepoint: caller")
        for goesOn in [true, false] {
            await #expect(throws: goesOn ? ended : noSavepoint) {
                try await database.write { db in
                    try db.run("INSERT INTO note (id, text) VALUES (1, 'small')")
                    #expect(throws: Self.full) { try db.run("INSERT INTO note (id, text) VALUES (2, \(long))") }
                    if goesOn { try db.run("INSERT INTO note (id, text) VALUES (3, 'small')") }
                }
            }
            #expect(try await database.noteIDs() == [])
        }
    }

    @Test("A commit is reported when it is on disk, not when it failed")
    func failedCommits() async throws {
        let bench = try Workbench()
        let database = try await bench.openWithNotes()
        try await allow(1, database)
        bench.forgetCommits()
        let long = String(repeating: "x", count: 100_000)
        await #expect(throws: Self.full) { try await database.addNote(1, long) }
        #expect(bench.commits == [])
        try await database.addNote(2)
        #expect(bench.commits == [1])
    }

    @Test("A path that cannot be opened fails with SQLite's code")
    func unopenable() async throws {
        let bench = try Workbench()
        let cannotOpen = DatabaseFailure(.other, code: "14", detail: "unable to open database file")
        #expect(throws: cannotOpen) { try bench.open("no such folder/work.sqlite") }
        #expect(throws: cannotOpen) { try bench.open(".") }
    }

    @Test("A file that is not a database is refused and kept unchanged")
    func noDatabase() async throws {
        let bench = try Workbench()
        let text = String(repeating: "This is no database. ", count: 500)
        let file = URL(filePath: bench.path("note.txt"))
        try text.write(to: file, atomically: true, encoding: .utf8)
        let failure = DatabaseFailure(.other, code: "26", detail: "file is not a database")
        #expect(throws: failure) { try bench.open("note.txt") }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("A file damaged later fails the reads and writes that touch the damage", .timeLimit(.minutes(5)))
    func damaged() async throws {
        let bench = try Workbench()
        do {
            let database = try await bench.openWithNotes()
            for id in 1...20 { try await database.addNote(id, text) }
        }
        // The last connection to close removes the log.
        while FileManager.default.fileExists(atPath: bench.path() + "-wal") { await Task.yield() }
        let file = URL(filePath: bench.path())
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(4_096..., with: Data(repeating: 0x5A, count: bytes.count - 4_096))
        try bytes.write(to: file)
        let database = try bench.open()
        let malformed = DatabaseFailure(.other, code: "11", detail: "database disk image is malformed")
        await #expect(throws: malformed) { try await database.noteIDs() }
        await #expect(throws: malformed) { try await database.addNote(21) }
    }
}
