import SQLDatabase
import SQLiteDriver
import Testing

@Suite("Rules of the schema")
struct ConstraintTests {
    private static let secret = "hunter2"

    private func makeDatabase() async throws -> SQLiteDatabase {
        let database = try Workbench().open()
        try await database.write { db in
            try db.run("CREATE TABLE person (id \(.integer) PRIMARY KEY, email \(.text) UNIQUE) \(.table)")
            try db.run(
                """
                CREATE TABLE pet (
                    name  \(.text) NOT NULL PRIMARY KEY CHECK (length(name) < 9),
                    owner \(.integer) REFERENCES person (id) ON DELETE CASCADE,
                    age   \(.integer) CONSTRAINT age_is_known CHECK (age >= 0),
                    UNIQUE (owner, age)
                ) \(.table)
                """)
            try db.run("INSERT INTO person (id, email) VALUES (1, \(Self.secret))")
            try db.run("INSERT INTO pet (name, owner, age) VALUES ('Rex', 1, 5)")
        }
        return database
    }

    @Test(
        "A broken rule is told by its kind and its columns, without a value",
        arguments: [
            ("INSERT INTO person (id) VALUES (1)", .unique, "UNIQUE constraint failed: person.id"),
            ("INSERT INTO person (email) VALUES (\(secret))", .unique, "UNIQUE constraint failed: person.email"),
            ("INSERT INTO pet (name) VALUES (\("Rex"))", .unique, "UNIQUE constraint failed: pet.name"),
            (
                "INSERT INTO pet (name, owner, age) VALUES ('Tom', 1, 5)", .unique,
                "UNIQUE constraint failed: pet.owner, pet.age"
            ),
            ("INSERT INTO pet (name, owner) VALUES ('Tom', 9)", .foreignKey, "FOREIGN KEY constraint failed"),
            ("UPDATE pet SET owner = 9", .foreignKey, "FOREIGN KEY constraint failed"),
            ("UPDATE person SET id = 2", .foreignKey, "FOREIGN KEY constraint failed"),
            ("UPDATE pet SET age = -5", .check, "CHECK constraint failed: age_is_known"),
            (
                "INSERT INTO pet (name) VALUES (\("hunter2hunter2"))", .check,
                "CHECK constraint failed: length(name) < 9"
            ),
            ("INSERT INTO pet (owner) VALUES (1)", .notNull, "NOT NULL constraint failed: pet.name"),
            ("UPDATE pet SET name = NULL", .notNull, "NOT NULL constraint failed: pet.name"),
            ("UPDATE pet SET age = \(secret)", .other, "cannot store TEXT value in INTEGER column pet.age"),
            ("UPDATE pet SET name = \([1, 2] as [UInt8])", .other, "cannot store BLOB value in TEXT column pet.name"),
        ] as [(SQL, ConstraintViolation.Kind, String)])
    func violations(_ statement: SQL, _ kind: ConstraintViolation.Kind, _ detail: String) async throws {
        let database = try await makeDatabase()
        await #expect(throws: ConstraintViolation(kind: kind, detail: detail)) {
            try await database.run(statement)
        }
        let rows = try await database.read { db in
            try db.rows("SELECT id, email, name, owner, age FROM person JOIN pet ON owner = id") { row in
                (0..<5).map { row.text($0) }
            }
        }
        #expect(rows == [["1", Self.secret, "Rex", "1", "5"]])
    }

    @Test("What depends on a row goes with it")
    func cascade() async throws {
        let database = try await makeDatabase()
        try await database.run("DELETE FROM person WHERE id = \(1)")
        #expect(try await database.read { db in try db.row("SELECT count(*) FROM pet") { $0.int(0) } } == 0)
    }

    @Test(
        "A statement that is no SQL is a failure that does not repeat its values",
        arguments: [
            ("SELEC \(secret)", "near \"SELEC\": syntax error"),
            ("SELECT \(secret) FROM nowhere", "no such table: nowhere"),
            ("SELECT colour FROM person WHERE email = \(secret)", "no such column: colour"),
        ] as [(SQL, String)])
    func noSQL(_ statement: SQL, _ detail: String) async throws {
        let database = try await makeDatabase()
        await #expect(throws: DatabaseFailure(code: 1, detail: detail)) {
            try await database.run(statement)
        }
        await #expect(throws: DatabaseFailure(code: 1, detail: detail)) {
            try await database.read { db in try db.rows(statement) { _ in } }
        }
    }

    @Test("A body may answer a broken rule itself and go on")
    func answered() async throws {
        let database = try await makeDatabase()
        try await database.write { db in
            #expect(throws: ConstraintViolation(kind: .unique, detail: "UNIQUE constraint failed: person.id")) {
                try db.run("INSERT INTO person (id) VALUES (1)")
            }
            try db.run("INSERT INTO person (id) VALUES (2)")
        }
        #expect(try await database.read { db in try db.row("SELECT count(*) FROM person") { $0.int(0) } } == 2)
    }

    @Test("Text after a statement is refused, not skipped")
    func secondStatement() async throws {
        let database = try await makeDatabase()
        await #expect(throws: DatabaseFailure(code: 21, detail: "more than one statement in one text")) {
            try await database.run("DELETE FROM pet; DELETE FROM person")
        }
        try await database.run("DELETE FROM pet;  -- all of them\n")
        #expect(try await database.read { db in try db.row("SELECT count(*) FROM person") { $0.int(0) } } == 1)
    }
}
