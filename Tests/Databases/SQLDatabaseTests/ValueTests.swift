import SQLDatabase
import TestDatabases
import Testing

@Suite("Round trips of values")
struct ValueTests {
    private static let texts = [
        "", "plain", "'", "''", "'; DROP TABLE note; --", "\"quoted\"", "`", "%_\\", "$1", "?1", "{text}", ":name",
        "line\nline\r\n\ttab", "é", "e\u{301}", "日本語", "👩‍👩‍👧", "\u{FFFF}\u{10FFFF}\u{202E}",
        String(repeating: "ß", count: 5_000),
    ]

    @Test(
        "Text reads back byte for byte, and is never parsed as SQL", arguments: TestDatabase.all, texts)
    func text(_ kind: TestDatabase, _ text: String) async throws {
        let storage = try await kind.openWithNotes()
        try await storage.database.addNote(1, text)
        let back = try await storage.database.read { db in
            try db.rows("SELECT text FROM note WHERE text = \(text)") { $0.text() }
        }
        #expect(back.map { Array($0.utf8) } == [Array(text.utf8)])
        #expect(try await storage.database.noteIDs() == [1])
    }

    @Test(
        "Bytes read back unchanged, also none", arguments: TestDatabase.all,
        [[], [0], [0, 0], [255, 0, 1], Array("'; --".utf8), Array(repeating: 7, count: 10_000)] as [[UInt8]]
    )
    func bytes(_ kind: TestDatabase, _ bytes: [UInt8]) async throws {
        let storage = try await kind.openEmpty()
        let back = try await storage.database.write { db in
            try db.run("CREATE TABLE blob (bytes \(.bytes) NOT NULL) \(.table)")
            try db.run("INSERT INTO blob (bytes) VALUES (\(bytes))")
            return try db.row("SELECT bytes, length(bytes) FROM blob") { row in
                (bytes: row.bytesIfPresent(), count: row.int())
            }
        }
        #expect(back?.bytes == bytes)
        #expect(back?.count == Int64(bytes.count))
    }

    @Test(
        "Numbers read back unchanged", arguments: TestDatabase.all, [0, 1, -1, 1 << 32, Int64.max, Int64.min])
    func numbers(_ kind: TestDatabase, _ number: Int64) async throws {
        let storage = try await kind.openEmpty()
        let back = try await storage.database.read { db in
            try db.row("SELECT \(number), \(Int(number))") { [$0.int(), $0.int()] }
        }
        #expect(back == [number, number])
    }

    @Test(
        "Instants read back to the microsecond, and can be searched", arguments: TestDatabase.all,
        [0, 1, -1, 1_700_000_000_123_456])
    func instants(_ kind: TestDatabase, _ microseconds: Int64) async throws {
        let storage = try await kind.openEmpty()
        let back = try await storage.database.write { db in
            try db.run("CREATE TABLE moment (at \(.instant) NOT NULL) \(.table)")
            try db.run("INSERT INTO moment (at) VALUES (\(SQLValue.instant(microseconds)))")
            return try db.row(
                """
                SELECT at FROM moment
                WHERE at >= \(SQLValue.instant(microseconds)) AND at < \(SQLValue.instant(microseconds + 1))
                """
            ) { $0.int() }
        }
        #expect(back == microseconds)
    }

    @Test("NULL is distinguished from nothing, zero and empty text", arguments: TestDatabase.all)
    func nulls(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let missing: String? = nil
        try await storage.database.read { db in
            _ = try db.row(
                """
                SELECT \(missing), \(missing), \(missing), \(missing),
                    \(""), \(0), \([] as [UInt8]), \(false), \(true)
                """
            ) { row in
                let nulls = (row.textIfPresent(), row.intIfPresent(), row.text(), row.bytes())
                #expect(nulls == (nil, nil, "", []))
                let values = (row.textIfPresent(), row.intIfPresent(), row.bytesIfPresent(), row.bool(), row.bool())
                #expect(values == ("", 0, [], false, true))
            }
        }
    }

    @Test("A row whose columns are not all read is refused, as is a column too many", arguments: TestDatabase.all)
    func misread(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        for count in [1, 3] {
            let misread = DatabaseFailure(.other, detail: "\(count) columns were read, the query has 2")
            await #expect(throws: misread) {
                try await storage.database.read { db in
                    try db.rows("SELECT \(1), \(2)") { row in (0..<count).map { _ in row.int() } }
                }
            }
        }
        let found = try await storage.database.read { db in try db.row("SELECT \(1), \(2)") { _ in true } }
        #expect(found == true)
    }

    @Test("A statement keeps no value and no type of its last run", arguments: TestDatabase.all)
    func reboundStatements(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let values: [SQLValue] = [.text("a"), .null, .bytes([]), .int(0), .null, .text(""), .instant(3)]
        for value in values {
            let back = try await storage.database.read { db in
                try db.row("SELECT \(value), \(value) IS NULL") { [$0.bytesIfPresent() == nil, $0.bool()] }
            }
            #expect(back == [value == .null, value == .null])
        }
    }

    @Test("A changed row is counted, and an unchanged one is not", arguments: TestDatabase.all)
    func counts(_ kind: TestDatabase) async throws {
        let storage = try await kind.openWithNotes()
        let counts = try await storage.database.write { db in
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

    @Test("More distinct statements than the cache holds still run", arguments: TestDatabase.all)
    func manyStatements(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let sum = try await storage.database.write { db in
            try (0..<1_200).compactMap { number in
                try db.row(SQL(stringLiteral: "SELECT \(number)")) { $0.int() }
            }.reduce(0, +)
        }
        #expect(sum == 719_400)
    }

    @Test("A read with a change sees its result", arguments: TestDatabase.all)
    func change(_ kind: TestDatabase) async throws {
        let storage = try await kind.openWithNotes()
        try await storage.database.addNote(1, "old")
        let query: SQL = "SELECT text FROM note \(.ofMany) WHERE id = \(1)"
        let made = try await storage.database.change("UPDATE note SET text = 'new' \(.ofMany)", thenRead: query) {
            $0.text()
        }
        #expect(made.count == 1)
        #expect(made.found == ["new"])
        let none = try await storage.database.change("DELETE FROM note \(.ofMany) WHERE id = 2", thenRead: query) {
            $0.text()
        }
        #expect(none.count == 0)
        #expect(none.found == ["new"])
    }

    @Test("Concurrent callers each change their own row, with values and without", arguments: TestDatabase.all)
    func changesOfMany(_ kind: TestDatabase) async throws {
        let storage = try await kind.openEmpty()
        let database = storage.database
        try await database.run(
            """
            CREATE TABLE thing (
                id \(.uuid) NOT NULL PRIMARY KEY, name \(.text), number \(.integer), time \(.instant), body \(.bytes)) \(.table)
            """)
        let things = (0..<96).map(Thing.init)
        for thing in things { try await database.run("INSERT INTO thing (id, name) VALUES (\(thing.id), 'old')") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thing in things {
                group.addTask {
                    let changed = try await database.change(
                        """
                        UPDATE thing SET name = \(thing.name), number = \(thing.number), time = \(thing.time),
                            body = \(thing.body)
                        \(.ofMany)
                        WHERE name = \("old") AND id = CAST(\(thing.id) AS \(.uuid))
                        """,
                        thenRead: """
                            SELECT id, name, number, time, body FROM thing \(.ofMany)
                            WHERE id = CAST(\(thing.id) AS \(.uuid))
                            """
                    ) { Thing(&$0) }
                    #expect(changed.count == 1)
                    #expect(changed.found == [thing])
                }
            }
            try await group.waitForAll()
        }
        let left = try await database.read { db in
            try db.rows("SELECT id, name, number, time, body FROM thing ORDER BY id") { Thing(&$0) }
        }
        #expect(left == things)
    }

    @Test("Of concurrent callers one changes a row, and all see the result", arguments: TestDatabase.all)
    func changesOfOneRow(_ kind: TestDatabase) async throws {
        let storage = try await kind.openWithNotes()
        let database = storage.database
        try await database.addNote(1, "old")
        let changes = try await withThrowingTaskGroup(of: Changed<String>.self) { group in
            for _ in 0..<96 {
                group.addTask {
                    try await database.change(
                        "UPDATE note SET text = 'new' \(.ofMany) WHERE text = \("old") AND id = \(1)",
                        thenRead: "SELECT text FROM note \(.ofMany) WHERE id <= \(1)"
                    ) { $0.text() }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(changes.map(\.count).reduce(0, +) == 1)
        #expect(changes.allSatisfy { $0.found == ["new"] })
    }
}

/// With a value in every other column, or none.
private struct Thing: Equatable, Sendable {
    let id: String
    let name: String?
    let number, time, body: SQLValue

    init(_ index: Int) {
        let digits = String(index)
        id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
        name = index % 2 == 0 ? nil : "name, {\"\(index)\"} é"
        number = index % 3 == 0 ? .null : .int(Int64(index) - 50)
        time = index % 4 == 0 ? .null : .instant(Int64(index) * 1_000_000_001)
        body = index % 5 == 0 ? .null : .bytes(Array(repeating: UInt8(index), count: index % 7))
    }

    init(_ row: inout Row) {
        id = row.text()
        name = row.textIfPresent()
        number = row.intIfPresent().map(SQLValue.int) ?? .null
        time = row.intIfPresent().map(SQLValue.instant) ?? .null
        body = row.bytesIfPresent().map(SQLValue.bytes) ?? .null
    }
}
