import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: rules of the schema", .needsServer)
struct ConstraintTests {
    @Test(
        "A failure has the SQLSTATE as its code",
        arguments: [
            ("SELEC \(1)", "42601"), ("SELECT \(1) FROM nowhere", "42P01"), ("SELECT colour FROM note", "42703"),
            ("DELETE FROM note; DELETE FROM note", "42601"),
        ] as [(SQL, String)])
    func states(_ statement: SQL, _ state: String) async throws {
        let database = try await Bench().openWithNotes()
        let failure = await #expect(throws: DatabaseFailure.self) { try await database.run(statement) }
        #expect(failure?.code == state)
    }

    @Test("A body that ignores a violation does not report its rows as written", arguments: [true, false])
    func swallowed(_ goesOn: Bool) async throws {
        let database = try await Bench().openWithNotes()
        try await database.addNote(1)
        let violation = await #expect(throws: DatabaseFailure.self) {
            try await database.write { db in
                try db.run("INSERT INTO note (id, text) VALUES (2, '')")
                #expect(throws: DatabaseFailure.self) { try db.run("INSERT INTO note (id, text) VALUES (1, '')") }
                if goesOn { try db.run("INSERT INTO note (id, text) VALUES (3, '')") }
            }
        }
        #expect(violation?.reason == .constraint(.unique))
        #expect(try await database.noteIDs() == [1])
    }
}
