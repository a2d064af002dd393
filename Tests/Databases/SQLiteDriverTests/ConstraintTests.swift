import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("SQLite: constraint violations")
struct ConstraintTests {
    @Test("Bytes are not accepted as text")
    func strictTypes() async throws {
        let database = try await Workbench().openWithNotes()
        let violation = DatabaseFailure(
            .constraint(.other), code: "3091", detail: "cannot store BLOB value in TEXT column note.text")
        await #expect(throws: violation) {
            try await database.run("INSERT INTO note (id, text) VALUES (1, \([1, 2] as [UInt8]))")
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("A body may handle a violation itself and continue")
    func answered() async throws {
        let database = try await Workbench().openWithNotes()
        let violation = DatabaseFailure(
            .constraint(.unique), code: "1555", detail: "UNIQUE constraint failed: note.id")
        try await database.write { db in
            try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            #expect(throws: violation) {
                try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            }
            try db.run("INSERT INTO note (id, text) VALUES (2, '')")
        }
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("A statement with invalid SQL is reported in SQLite's own words")
    func noSQL() async throws {
        let database = try await Workbench().openWithNotes()
        for (statement, failure) in [
            ("SELEC \(1)", DatabaseFailure(.other, code: "1", detail: "near \"SELEC\": syntax error")),
            (
                "SELECT \(1) FROM nowhere",
                DatabaseFailure(.unknownName, code: "1", detail: "no such table: nowhere")
            ),
            (
                "DELETE FROM note; DELETE FROM note",
                DatabaseFailure(.other, detail: "more than one statement in one text")
            ),
        ] as [(SQL, DatabaseFailure)] {
            await #expect(throws: failure) { try await database.run(statement) }
        }
    }
}
