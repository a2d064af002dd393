import SQLDatabase
import SQLiteDriver
import TestSupport
import Testing

@Suite("SQLite: constraint violations")
struct ConstraintTests {
    @Test("Bytes are not accepted as text")
    func strictTypes() async throws {
        let database = try await Workbench().openWithNotes()
        let violation = ConstraintViolation(kind: .other, detail: "cannot store BLOB value in TEXT column note.text")
        await #expect(throws: violation) {
            try await database.run("INSERT INTO note (id, text) VALUES (1, \([1, 2] as [UInt8]))")
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("A body may handle a violation itself and continue")
    func answered() async throws {
        let database = try await Workbench().openWithNotes()
        try await database.write { db in
            try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            #expect(throws: ConstraintViolation(kind: .unique, detail: "UNIQUE constraint failed: note.id")) {
                try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            }
            try db.run("INSERT INTO note (id, text) VALUES (2, '')")
        }
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A statement with invalid SQL is reported in SQLite's own words")
    func noSQL() async throws {
        let database = try await Workbench().openWithNotes()
        for (statement, code, detail) in [
            ("SELEC \(1)", 1, "near \"SELEC\": syntax error"),
            ("SELECT \(1) FROM nowhere", 1, "no such table: nowhere"),
            ("DELETE FROM note; DELETE FROM note", 21, "more than one statement in one text"),
        ] as [(SQL, Int, String)] {
            await #expect(throws: DatabaseFailure(code: code, detail: detail)) { try await database.run(statement) }
        }
    }
}
