import PostgresDriver
import SQLDatabase
import TestSupport
import Testing

@Suite("PostgreSQL: values in and out", .needsServer)
struct ValueTests {
    private static let texts = [
        "", "plain", "'", "''", "'; DROP TABLE note; --", "\"quoted\"", "`", "%_\\", "$1", "{text}", ":name",
        "line\nline\r\n\ttab", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "\u{FFFF}\u{10FFFF}\u{202E}",
        String(repeating: "ß", count: 5_000),
    ]

    @Test("Text comes back as it went in, byte for byte, and is never read as SQL", arguments: texts)
    func text(_ text: String) async throws {
        let database = try await Bench().openWithNotes()
        try await database.addNote(1, text)
        let back = try await database.read { db in
            try db.rows("SELECT text FROM note WHERE text = \(text)") { $0.text(0) }
        }
        #expect(back.map { Array($0.utf8) } == [Array(text.utf8)])
        #expect(try await database.noteIDs() == [1])
    }

    @Test("Text with U+0000 is refused whole, not cut short", arguments: ["\u{0}", "a\u{0}b"])
    func zero(_ text: String) async throws {
        let database = try await Bench().openWithNotes()
        let refusal = ConstraintViolation(kind: .other, detail: "a text holds U+0000")
        await #expect(throws: refusal) { try await database.addNote(1, text) }
        await #expect(throws: refusal) {
            try await database.read { db in try db.rows("SELECT id FROM note WHERE text = \(text)") { _ in } }
        }
        #expect(try await database.noteIDs() == [])
    }

    @Test(
        "Bytes come back as they went in, none too",
        arguments: [[], [0], [0, 0], [255, 0, 1], Array("'; --".utf8), Array(repeating: 7, count: 10_000)] as [[UInt8]]
    )
    func bytes(_ bytes: [UInt8]) async throws {
        let database = try await Bench().open()
        let back = try await database.write { db in
            try db.run("CREATE TABLE blob (bytes \(.bytes) NOT NULL) \(.table)")
            try db.run("INSERT INTO blob (bytes) VALUES (\(bytes))")
            return try db.row("SELECT bytes, length(bytes) FROM blob") { row in
                #expect(!row.isNull(0))
                #expect(Int(row.int(1)) == bytes.count)
                return row.bytes(0)
            }
        }
        #expect(back == bytes)
    }

    @Test("Numbers come back as they went in, sums too", arguments: [0, 1, -1, 1 << 32, Int64.max, Int64.min])
    func numbers(_ number: Int64) async throws {
        let back = try await Bench().open().read { db in
            try db.row("SELECT \(number), sum(given), \(Int(number)) FROM (VALUES (\(number))) AS numbers (given)") {
                [$0.int(0), $0.int(1), $0.int(2)]
            }
        }
        #expect(back == [number, number, number])
    }

    @Test(
        "Instants are a type of the server's and come back to the microsecond",
        arguments: [0, 1, -1, 1_700_000_000_123_456])
    func instants(_ microseconds: Int64) async throws {
        let database = try await Bench().open()
        let back = try await database.write { db in
            try db.run("CREATE TABLE moment (at \(.instant) NOT NULL) \(.table)")
            try db.run("INSERT INTO moment (at) VALUES (\(SQLValue.instant(microseconds)))")
            return try db.row(
                """
                SELECT at, pg_typeof(at)::text FROM moment
                WHERE at >= \(SQLValue.instant(microseconds)) AND at < \(SQLValue.instant(microseconds + 1))
                """
            ) { ($0.int(0), $0.text(1)) }
        }
        #expect(back?.0 == microseconds)
        #expect(back?.1 == "timestamp with time zone")
    }

    @Test("An instant that the server cannot count is refused")
    func lateInstant() async throws {
        let database = try await Bench().open()
        await #expect(throws: ConstraintViolation(kind: .other, detail: "an instant is out of range")) {
            try await database.read { db in try db.row("SELECT \(SQLValue.instant(.min))") { $0.int(0) } }
        }
    }

    @Test("Ids are a type of the server's and come back as lower-case text; JSON comes back as it went in")
    func typedText() async throws {
        let database = try await Bench().open()
        let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
        let json = #"{"b" : 1.0, "a":[ ], "b":"é"}"#
        let back = try await database.write { db in
            try db.run("CREATE TABLE typed (id \(.uuid) PRIMARY KEY, content \(.json) NOT NULL) \(.table)")
            try db.run("INSERT INTO typed (id, content) VALUES (\(id.uppercased()), \(json))")
            return try db.row("SELECT id, content, content ->> 'a' FROM typed WHERE id = \(id)") {
                [$0.text(0), $0.text(1), $0.text(2)]
            }
        }
        #expect(back == [id, json, "[ ]"])
    }

    @Test("What is no id or no JSON is refused, and its text is not repeated")
    func wrongText() async throws {
        let database = try await Bench().open()
        try await database.run("CREATE TABLE typed (id \(.uuid) PRIMARY KEY, content \(.json)) \(.table)")
        for statement: SQL in [
            "INSERT INTO typed (id) VALUES (\("hunter2"))",
            "INSERT INTO typed (id, content) VALUES ('6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60', \("{hunter2"))",
        ] {
            let violation = await #expect(throws: ConstraintViolation.self) { try await database.run(statement) }
            #expect(violation?.kind == .other)
            #expect(violation?.detail.contains("hunter2") == false)
        }
    }

    @Test("NULL is told apart from nothing, zero and empty text, and a statement keeps no type of its last run")
    func nulls() async throws {
        let database = try await Bench().open()
        let values: [SQLValue] = [.text("a"), .null, .bytes([]), .int(0), .null, .text(""), .instant(3)]
        for value in values {
            let back = try await database.read { db in
                try db.row("SELECT \(value), \(value) IS NULL") { [$0.isNull(0), $0.bool(1)] }
            }
            #expect(back == [value == .null, value == .null])
        }
    }

    @Test("A changed row is counted, and one that is not changed is not")
    func counts() async throws {
        let database = try await Bench().openWithNotes()
        let counts = try await database.write { db in
            [
                try db.run("INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
                try db.run("UPDATE note SET text = 'z' WHERE id >= \(2)"),
                try db.run("UPDATE note SET text = 'z' WHERE id = \(9)"),
                try db.run("INSERT INTO note (id, text) VALUES (1, 'a') ON CONFLICT DO NOTHING"),
                try db.run("DELETE FROM note"),
            ]
        }
        #expect(counts == [3, 2, 0, 0, 3])
    }

    @Test("More distinct statements than are kept prepared run all the same")
    func manyStatements() async throws {
        let database = try await Bench().open()
        let sum = try await database.write { db in
            try (0..<1_200).compactMap { number in
                try db.row(SQL(stringLiteral: "SELECT \(number)")) { $0.int(0) }
            }.reduce(0, +)
        }
        #expect(sum == 719_400)
    }

    @Test("Flags compare with 0 and 1, text sorts by its bytes, and plans name what is used")
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
            try db.rows("SELECT text FROM word WHERE is_short = 1 ORDER BY text") { $0.text(0) }
        }
        #expect(sorted == ["Z", "_", "a", "ä"])
        let plans = try await database.read { db in
            let id = "00000000-0000-4000-8000-000000000001"
            return (try db.plan("SELECT text FROM word WHERE id = \(id)"), try db.plan("SELECT text FROM word"))
        }
        #expect(plans.0.scans == [])
        #expect(plans.0.first == "Index Scan using word_pkey on word")
        #expect(plans.1.scans == ["Seq Scan on word"])
    }
}
