import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: values in and out", .needsServer)
struct ValueTests {
    @Test("Sums come back as numbers", arguments: [0, 1, -1, 1 << 32, Int64.max, Int64.min])
    func sums(_ number: Int64) async throws {
        let back = try await Bench().open().read { db in
            try db.row("SELECT sum(given) FROM (VALUES (\(number))) AS numbers (given)") { $0.int() }
        }
        #expect(back == number)
    }

    @Test("A failed first run leaves no prepared statement", arguments: [false, true])
    func keptStatements(_ reads: Bool) async throws {
        let database = try await Bench().open(1)
        for _ in 0..<600 {
            await #expect(throws: DatabaseFailure.self) {
                if reads {
                    try await database.rows("SELECT 1 / \(0)") { _ in }
                } else {
                    try await database.run("SELECT 1 / \(0)")
                }
            }
        }
        let count: SQL = "SELECT count(*) FROM pg_prepared_statements"
        let kept =
            reads
            ? try await database.row(count) { $0.int() }
            : try await database.write { db in try db.row(count) { $0.int() } }
        #expect((kept ?? 0) < 510)
    }

    @Test("Text with U+0000 is refused, not truncated", arguments: ["\u{0}", "a\u{0}b"])
    func zero(_ text: String) async throws {
        let database = try await Bench().openWithNotes()
        let refusal = DatabaseFailure(.constraint(.other), detail: "a text holds U+0000")
        await #expect(throws: refusal) { try await database.addNote(1, text) }
        await #expect(throws: refusal) {
            try await database.read { db in try db.rows("SELECT id FROM note WHERE text = \(text)") { _ in } }
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test("An instant out of the server's range is refused")
    func lateInstant() async throws {
        let database = try await Bench().open()
        await #expect(throws: DatabaseFailure(.constraint(.other), detail: "an instant is out of range")) {
            try await database.read { db in try db.row("SELECT \(SQLValue.instant(.min))") { $0.int() } }
        }
    }

    @Test(
        "An infinite instant, or one without a text form, counts as the last or the first",
        arguments: [
            ("infinity", 253_402_300_799_999_999), ("294276-12-31 23:59:59.999999+00", 253_402_300_799_999_999),
            ("9999-12-31 23:59:59.999999+00", 253_402_300_799_999_999), ("-infinity", -62_135_596_800_000_000),
            ("4713-01-01 00:00:00+00 BC", -62_135_596_800_000_000), ("1970-01-01 00:00:00.000007+00", 7),
        ])
    func endlessInstants(_ text: String, _ microseconds: Int64) async throws {
        let back = try await Bench().open().read { db in
            try db.row("SELECT CAST(\(text) AS timestamptz), CAST(\(text) AS timestamptz)") {
                [String($0.int()), $0.text()]
            }
        }
        #expect(back == ["\(microseconds)", "\(microseconds)"])
    }

    @Test("A statement that cannot be sent keeps the connection of single reads")
    func unsendable() async throws {
        let time = StandingClock()
        let database = try await Bench().open(uptime: { time.now })
        let process: SQL = "SELECT pg_backend_pid()"
        let before = try await database.row(process) { $0.int() }
        time.advance(.seconds(3_600))
        await #expect(throws: DatabaseFailure.self) { try await database.row("SELECT \("a\0b")") { _ in } }
        #expect(try await database.row(process) { $0.int() } == before)
    }

    @Test("A statement that cannot be sent keeps the connection of its transaction")
    func unsendableInTransaction() async throws {
        let time = StandingClock()
        // The next transaction must get the same connection.
        let database = try await Bench().open(1, uptime: { time.now })
        let process: @Sendable (any Connection) throws -> Int64? = { db in
            try db.row("SELECT pg_backend_pid()") { $0.int() }
        }
        let before = try await database.read(process)
        time.advance(.seconds(3_600))
        await #expect(throws: DatabaseFailure.self) {
            try await database.read { db in try db.row("SELECT \("a\0b")") { _ in } }
        }
        #expect(try await database.read(process) == before)
    }

    @Test("Ids are a native type and read back as lowercase text; JSON reads back unchanged")
    func typedText() async throws {
        let database = try await Bench().open()
        let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
        let json = #"{"b" : 1.0, "a":[ ], "b":"é"}"#
        let back = try await database.write { db in
            try db.run("CREATE TABLE typed (id \(.uuid) PRIMARY KEY, content \(.json) NOT NULL) \(.table)")
            try db.run("INSERT INTO typed (id, content) VALUES (\(id.uppercased()), \(json))")
            return try db.row("SELECT id, content, content ->> 'a' FROM typed WHERE id = \(id)") {
                [$0.text(), $0.text(), $0.text()]
            }
        }
        #expect(back == [id, json, "[ ]"])
    }

    @Test("An invalid id or invalid JSON is refused, without repeating its text")
    func wrongText() async throws {
        let database = try await Bench().open()
        try await database.run("CREATE TABLE typed (id \(.uuid) PRIMARY KEY, content \(.json)) \(.table)")
        for statement: SQL in [
            "INSERT INTO typed (id) VALUES (\("hunter2"))",
            "INSERT INTO typed (id, content) VALUES ('6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60', \("{hunter2"))",
        ] {
            let violation = await #expect(throws: DatabaseFailure.self) { try await database.run(statement) }
            #expect(violation?.reason == .constraint(.other))
            #expect(violation?.detail.contains("hunter2") == false)
        }
    }

    @Test("Flags compare with 0 and 1, text sorts by its bytes, and plans name the index")
    func spelling() async throws {
        let database = try await Bench().open()
        try await database.run(
            """
            CREATE TABLE word (id \(.uuid) PRIMARY KEY, is_short \(.flag) NOT NULL DEFAULT 0 CHECK (is_short IN (0, 1)),
                text \(.text)) \(.table)
            """)
        for (id, text) in ["a", "Z", "ä", "_"].enumerated() {
            try await database.run(
                """
                INSERT INTO word (id, is_short, text)
                VALUES (\("00000000-0000-4000-8000-00000000000\(id)"), \(true), \(text))
                """)
        }
        let sorted = try await database.read { db in
            try db.rows("SELECT text FROM word WHERE is_short = 1 ORDER BY text") { $0.text() }
        }
        #expect(sorted == ["Z", "_", "a", "ä"])
        let instant = try await database.read { db in
            try db.row("SELECT pg_typeof(\(SQLValue.instant(1)))::text") { $0.text() }
        }
        #expect(instant == "timestamp with time zone")
        let plans = try await database.read { db in
            let id = "00000000-0000-4000-8000-000000000001"
            return (try db.plan("SELECT text FROM word WHERE id = \(id)"), try db.plan("SELECT text FROM word"))
        }
        #expect(plans.0.scans == [])
        #expect(plans.0.first == "Index Scan using word_pkey on word")
        #expect(plans.1.scans == ["Seq Scan on word"])
    }
}
