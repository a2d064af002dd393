import PostgresDriver
import SQLDatabase
import TestSupport
import Testing

@Suite("PostgreSQL: rules of the schema", .needsServer)
struct ConstraintTests {
    private static let secret = "hunter2"

    private func makeDatabase() async throws -> PostgresDatabase {
        let database = try await Bench().open()
        try await database.write { db in
            try db.run("CREATE TABLE person (id \(.integer) PRIMARY KEY, email \(.text) UNIQUE) \(.table)")
            try db.run(
                """
                CREATE TABLE pet (
                    name  \(.text) NOT NULL PRIMARY KEY CHECK (length(name) < 9),
                    owner \(.integer) REFERENCES person (id) ON DELETE CASCADE,
                    age   \(.integer) CONSTRAINT age_is_known CHECK (age >= 0)
                ) \(.table)
                """)
            try db.run("INSERT INTO person (id, email) VALUES (1, \(Self.secret))")
            try db.run("INSERT INTO pet (name, owner, age) VALUES ('Rex', 1, 5)")
        }
        return database
    }

    @Test(
        "A broken rule is told by its kind and its name, without a value",
        arguments: [
            ("INSERT INTO person (id) VALUES (1)", .unique, "person_pkey"),
            ("INSERT INTO person (id, email) VALUES (2, \(secret))", .unique, "person_email_key"),
            ("INSERT INTO pet (name, owner) VALUES ('Tom', 9)", .foreignKey, "pet_owner_fkey"),
            ("UPDATE pet SET age = -5", .check, "age_is_known"),
            ("INSERT INTO pet (name) VALUES (\("hunter2hunter2"))", .check, "pet_name_check"),
            ("INSERT INTO pet (owner) VALUES (1)", .notNull, "\"name\""),
            ("UPDATE pet SET age = age / 0", .other, "22012"),
        ] as [(SQL, ConstraintViolation.Kind, String)])
    func violations(_ statement: SQL, _ kind: ConstraintViolation.Kind, _ name: String) async throws {
        let database = try await makeDatabase()
        let violation = await #expect(throws: ConstraintViolation.self) { try await database.run(statement) }
        #expect(violation?.kind == kind)
        #expect(violation?.detail.contains(name) == true)
        #expect(violation?.detail.contains(Self.secret) == false)
        let rows = try await database.read { db in
            try db.rows("SELECT person.id, email, name, owner, age FROM person JOIN pet ON owner = person.id") { row in
                (0..<5).map { row.text($0) }
            }
        }
        #expect(rows == [["1", Self.secret, "Rex", "1", "5"]])
    }

    @Test("A statement that is no SQL is a failure that does not repeat its values")
    func noSQL() async throws {
        let database = try await makeDatabase()
        for (statement, state) in [
            ("SELEC \(Self.secret)", "42601"), ("SELECT \(Self.secret) FROM nowhere", "42P01"),
            ("SELECT colour FROM person WHERE email = \(Self.secret)", "42703"),
            ("DELETE FROM pet; DELETE FROM person", "42601"),
        ] as [(SQL, String)] {
            let writing = await #expect(throws: DatabaseFailure.self) { try await database.run(statement) }
            let reading = await #expect(throws: DatabaseFailure.self) {
                try await database.read { db in try db.rows(statement) { _ in } }
            }
            for failure in [writing, reading] {
                #expect(failure?.detail.contains(state) == true)
                #expect(failure?.code == Int(state, radix: 36))
                #expect(failure?.detail.contains(Self.secret) == false)
            }
        }
        #expect(try await database.read { db in try db.row("SELECT count(*) FROM pet") { $0.int(0) } } == 1)
    }

    @Test("A body that swallows a broken rule is not answered as if its rows were there")
    func swallowed() async throws {
        let database = try await makeDatabase()
        for goesOn in [true, false] {
            let violation = await #expect(throws: ConstraintViolation.self) {
                try await database.write { db in
                    try db.run("INSERT INTO person (id) VALUES (2)")
                    #expect(throws: ConstraintViolation.self) { try db.run("INSERT INTO person (id) VALUES (1)") }
                    if goesOn { try db.run("INSERT INTO person (id) VALUES (3)") }
                }
            }
            #expect(violation?.kind == .unique)
        }
        #expect(try await database.read { db in try db.row("SELECT count(*) FROM person") { $0.int(0) } } == 1)
    }
}
