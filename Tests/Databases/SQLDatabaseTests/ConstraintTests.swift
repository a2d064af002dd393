import SQLDatabase
import TestDatabases
import Testing

@Suite("Constraint violations")
struct ConstraintTests {
    private static let secret = "hunter2"

    private struct Broken: CustomTestStringConvertible, Sendable {
        let statement: SQL
        let kind: DatabaseFailure.Constraint
        let names: [TestDatabase: String]

        init(_ statement: SQL, _ kind: DatabaseFailure.Constraint, _ sqlite: String, _ postgres: String) {
            self.statement = statement
            self.kind = kind
            names = [.sqlite: sqlite, .postgres: postgres]
        }

        var testDescription: String { statement.text }
    }

    private static let broken = [
        Broken("INSERT INTO person (id) VALUES (1)", .unique, "person.id", "person_pkey"),
        Broken(
            "INSERT INTO person (id, email) VALUES (2, \(secret))", .unique, "person.email", "person_email_key"),
        Broken("INSERT INTO pet (name) VALUES (\("Rex"))", .unique, "pet.name", "pet_pkey"),
        Broken(
            "INSERT INTO pet (name, owner, age) VALUES ('Tom', 1, 5)", .unique, "pet.owner, pet.age",
            "pet_owner_age_key"),
        Broken("INSERT INTO pet (name, owner) VALUES ('Tom', 9)", .foreignKey, "FOREIGN KEY", "pet_owner_fkey"),
        Broken("UPDATE pet SET owner = 9", .foreignKey, "FOREIGN KEY", "pet_owner_fkey"),
        Broken("UPDATE person SET id = 2", .foreignKey, "FOREIGN KEY", "pet_owner_fkey"),
        Broken("UPDATE pet SET age = -5", .check, "age_is_known", "age_is_known"),
        Broken("INSERT INTO pet (name) VALUES (\("hunter2hunter2"))", .check, "length(name) < 9", "pet_name_check"),
        Broken("INSERT INTO pet (owner) VALUES (1)", .notNull, "pet.name", "\"name\""),
        Broken("UPDATE pet SET name = NULL", .notNull, "pet.name", "\"name\""),
        Broken("UPDATE pet SET age = \(secret)", .other, "TEXT value in INTEGER column pet.age", "does not fit"),
    ]

    private func open(_ kind: TestDatabase) async throws -> OpenDatabase {
        let storage = try await kind.openEmpty()
        try await storage.database.write { db in
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
        return storage
    }

    @Test(
        "A violation has its kind and its name, without a value", arguments: TestDatabase.all, Self.broken)
    private func violations(_ kind: TestDatabase, _ broken: Broken) async throws {
        let storage = try await open(kind)
        let violation = await #expect(throws: DatabaseFailure.self) {
            try await storage.database.run(broken.statement)
        }
        #expect(violation?.reason == .constraint(broken.kind))
        #expect(violation?.detail.contains(broken.names[kind] ?? "?") == true, "\(violation?.detail ?? "")")
        #expect(violation?.detail.contains(Self.secret) == false)
        let rows = try await storage.database.read { db in
            try db.rows("SELECT person.id, email, name, owner, age FROM person JOIN pet ON owner = person.id") { row in
                (0..<5).map { _ in row.text() }
            }
        }
        #expect(rows == [["1", Self.secret, "Rex", "1", "5"]])
    }

    @Test("Dependent rows are deleted with their row", arguments: TestDatabase.all)
    func cascade(_ kind: TestDatabase) async throws {
        let storage = try await open(kind)
        try await storage.database.run("DELETE FROM person WHERE id = \(1)")
        #expect(try await count("pet", storage) == 0)
    }

    @Test(
        "A statement with invalid SQL fails without repeating its values", arguments: TestDatabase.all,
        [
            ("SELEC \(secret)", .other), ("SELECT \(secret) FROM nowhere", .unknownName),
            ("SELECT colour FROM person WHERE email = \(secret)", .unknownName),
        ] as [(SQL, DatabaseFailure.Reason)])
    func noSQL(_ kind: TestDatabase, _ refused: (SQL, DatabaseFailure.Reason)) async throws {
        let (statement, reason) = refused
        let storage = try await open(kind)
        let writing = await #expect(throws: DatabaseFailure.self) { try await storage.database.run(statement) }
        let reading = await #expect(throws: DatabaseFailure.self) {
            try await storage.database.read { db in try db.rows(statement) { _ in } }
        }
        #expect(writing == reading)
        #expect(writing?.reason == reason)
        #expect(writing?.detail.contains(Self.secret) == false)
        #expect(writing?.detail.contains(/SELEC|nowhere|colour/) == true)
    }

    @Test("Text after a statement is refused; a semicolon and a comment are allowed", arguments: TestDatabase.all)
    func secondStatement(_ kind: TestDatabase) async throws {
        let storage = try await open(kind)
        await #expect(throws: DatabaseFailure.self) {
            try await storage.database.run("DELETE FROM pet; DELETE FROM person")
        }
        #expect(try await count("pet", storage) == 1)
        try await storage.database.run("DELETE FROM pet;  -- all of them\n")
        #expect(try await count("pet", storage) == 0)
        #expect(try await count("person", storage) == 1)
    }

    private func count(_ table: String, _ storage: OpenDatabase) async throws -> Int64? {
        try await storage.database.read { db in
            try db.row(SQL(stringLiteral: "SELECT count(*) FROM \(table)")) { $0.int() }
        }
    }
}
