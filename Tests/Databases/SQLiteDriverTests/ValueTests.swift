import SQLDatabase
import SQLiteDriver
import TestDatabases
import Testing

@Suite("SQLite: round trips of values")
struct ValueTests {
    @Test("Text with U+0000 reads back whole", arguments: ["\u{0}", "a\u{0}b"])
    func zero(_ text: String) async throws {
        let database = try await Workbench().openWithNotes()
        try await database.addNote(1, text)
        #expect(try await database.noteTexts() == [text])
    }

    @Test("A statement keeps no value of its last run")
    func reboundStatements() async throws {
        let database = try Workbench().open()
        let values: [SQLValue] = [.text("a"), .null, .bytes([1]), .int(4), .null, .text("b")]
        let types = try await database.read { db in
            try values.map { value in try db.row("SELECT typeof(\(value))") { $0.text() } }
        }
        #expect(types == ["text", "null", "blob", "integer", "null", "text"])
    }

    @Test("Numbered values reach SQLite as numbers, not as names in order of appearance")
    func numberedValues() async throws {
        let database = try Workbench().open()
        let inner: SQL = "\("a") || \("b")"
        let row = try await database.read { db in
            try db.row("SELECT \(1), \(inner), \(inner) || \("c"), \(2)") { row in
                (0..<4).map { _ in row.text() }
            }
        }
        #expect(row == ["1", "ab", "abc", "2"])
        let many = try await database.read { db in
            try db.row("SELECT $12, $1, \(1), \(2), \(3), \(4), \(5), \(6), \(7), \(8), \(9), \(10), \(11), \(12)") {
                row in
                (0..<14).map { _ in row.int() }
            }
        }
        #expect(many == [12, 1] + Array(1...12))
    }

    @Test("The types of a CREATE TABLE become SQLite's, and plans name the index")
    func spelling() async throws {
        let database = try Workbench().open()
        let types = try await database.write { db in
            try db.run(
                """
                CREATE TABLE word (a \(.instant), b \(.uuid), c \(.text), d \(.integer), e \(.bytes), f \(.flag),
                    g \(.json), PRIMARY KEY (b)) \(.table)
                """)
            return try db.rows("SELECT type FROM pragma_table_info('word') ORDER BY cid") { $0.text() }
        }
        #expect(types == ["INTEGER", "TEXT", "TEXT", "INTEGER", "BLOB", "INTEGER", "TEXT"])
        let plans = try await database.read { db in
            try (db.plan("SELECT a FROM word WHERE b = \("x")"), db.plan("SELECT a FROM word WHERE a = \(1)"))
        }
        #expect(plans.0 == ["SEARCH word USING INDEX sqlite_autoindex_word_1 (b=?)"])
        #expect(plans.1 == ["SCAN word"])
    }
}
