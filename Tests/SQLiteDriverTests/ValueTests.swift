import SQLDatabase
import SQLiteDriver
import TestSupport
import Testing

@Suite("Values in and out")
struct ValueTests {
    private static let texts = [
        "", "plain", "'", "''", "'; DROP TABLE note; --", "\"quoted\"", "`", "%_\\", "$1", "?1", "{text}", ":name",
        "a\u{0}b", "\u{0}", "line\nline\r\n\ttab", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "\u{FFFF}\u{10FFFF}\u{202E}",
        String(repeating: "ß", count: 5_000),
    ]

    @Test("Text comes back as it went in, byte for byte, and is never read as SQL", arguments: texts)
    func text(_ text: String) async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1, text)
        let back = try await database.read { db in
            try db.rows("SELECT text FROM note WHERE text = \(text)") { $0.text(0) }
        }
        #expect(back.map { Array($0.utf8) } == [Array(text.utf8)])
        #expect(try await database.noteIDs() == [1])
    }

    @Test(
        "Bytes come back as they went in, none too",
        arguments: [[], [0], [0, 0], [255, 0, 1], Array("'; --".utf8), Array(repeating: 7, count: 10_000)] as [[UInt8]]
    )
    func bytes(_ bytes: [UInt8]) async throws {
        let database = try Workbench().open()
        let back = try await database.write { db in
            try db.run("CREATE TABLE blob (bytes \(.bytes) NOT NULL) \(.table)")
            try db.run("INSERT INTO blob (bytes) VALUES (\(bytes))")
            return try db.row("SELECT bytes, length(bytes), typeof(bytes) FROM blob") { row in
                #expect(!row.isNull(0))
                #expect(Int(row.int(1)) == bytes.count)
                #expect(row.text(2) == "blob")
                return row.bytes(0)
            }
        }
        #expect(back == bytes)
    }

    @Test("Numbers come back as they went in", arguments: [0, 1, -1, 1 << 32, Int64.max, Int64.min])
    func numbers(_ number: Int64) async throws {
        let database = try Workbench().open()
        let back = try await database.read { db in
            try db.row("SELECT \(number), \(SQLValue.instant(number)), \(Int(number))") {
                [$0.int(0), $0.int(1), $0.int(2)]
            }
        }
        #expect(back == [number, number, number])
    }

    @Test("NULL is told apart from nothing, zero and empty text")
    func nulls() async throws {
        let database = try Workbench().open()
        let missing: String? = nil
        try await database.read { db in
            _ = try db.row("SELECT \(missing), \("")  , \(0), \([] as [UInt8]), \(false), \(true)") { row in
                #expect((0..<6).map { row.isNull($0) } == [true, false, false, false, false, false])
                #expect(row.textIfPresent(0) == nil)
                #expect(row.intIfPresent(0) == nil)
                #expect(row.text(0) == "")
                #expect(row.bytes(0) == [])
                #expect(row.textIfPresent(1) == "")
                #expect(row.intIfPresent(2) == 0)
                #expect(!row.bool(4))
                #expect(row.bool(5))
            }
        }
    }

    @Test("A statement keeps no value of its last run")
    func reboundStatements() async throws {
        let database = try Workbench().open()
        let values: [SQLValue] = [.text("a"), .null, .bytes([1]), .int(4), .null, .text("b")]
        let types = try await database.read { db in
            try values.map { value in try db.row("SELECT typeof(\(value))") { $0.text(0) } }
        }
        #expect(types == ["text", "null", "blob", "integer", "null", "text"])
    }

    @Test("Numbers of values reach SQLite as numbers, not as names in order of appearance")
    func numberedValues() async throws {
        let database = try Workbench().open()
        let inner: SQL = "\("a") || \("b")"
        let row = try await database.read { db in
            try db.row("SELECT \(1), \(inner), \(inner) || \("c"), \(2)") { row in
                (0..<4).map { row.text($0) }
            }
        }
        #expect(row == ["1", "ab", "abc", "2"])
        let many = try await database.read { db in
            try db.row("SELECT $12, $1, \(1), \(2), \(3), \(4), \(5), \(6), \(7), \(8), \(9), \(10), \(11), \(12)") {
                [$0.int(0), $0.int(1)]
            }
        }
        #expect(many == [12, 1])
    }

    @Test("A changed row is counted, and one that is not changed is not")
    func counts() async throws {
        let database = try await Workbench().openWithNotes()
        let counts = try await database.write { db in
            [
                try db.run("INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
                try db.run("UPDATE note SET text = 'z' WHERE id >= \(2)"),
                try db.run("UPDATE note SET text = 'z' WHERE id = \(9)"),
                try db.run("INSERT INTO note (id, text) VALUES (1, 'a') ON CONFLICT DO NOTHING"),
                try db.run("DELETE FROM note"),
                try db.run("DELETE FROM note"),
            ]
        }
        #expect(counts == [3, 2, 0, 0, 3, 0])
    }

    @Test("More distinct statements than are kept prepared run all the same")
    func manyStatements() async throws {
        let database = try Workbench().open()
        let sum = try await database.read { db in
            try (0..<1_200).compactMap { number in
                try db.row(SQL(stringLiteral: "SELECT \(number)")) { $0.int(0) }
            }.reduce(0, +)
        }
        #expect(sum == 719_400)
    }

    @Test("The words of a CREATE TABLE become SQLite's, and plans name what is used")
    func spelling() async throws {
        let database = try Workbench().open()
        let types = try await database.write { db in
            try db.run(
                """
                CREATE TABLE word (a \(.instant), b \(.uuid), c \(.text), d \(.integer), e \(.bytes), f \(.flag),
                    g \(.json), PRIMARY KEY (b)) \(.table)
                """)
            return try db.rows("SELECT type FROM pragma_table_info('word') ORDER BY cid") { $0.text(0) }
        }
        #expect(types == ["INTEGER", "TEXT", "TEXT", "INTEGER", "BLOB", "INTEGER", "TEXT"])
        let plans = try await database.read { db in
            try (db.plan("SELECT a FROM word WHERE b = \("x")"), db.plan("SELECT a FROM word WHERE a = \(1)"))
        }
        #expect(plans.0 == ["SEARCH word USING INDEX sqlite_autoindex_word_1 (b=?)"])
        #expect(plans.1 == ["SCAN word"])
    }
}
