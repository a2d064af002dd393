import SQLDatabase
import Testing

@Suite("SQL")
struct SQLTests {
    @Test("Every interpolated value is bound by number and never becomes text")
    func values() {
        let text = "'; DROP TABLE note; --"
        let missing: String? = nil
        let sql: SQL = """
            SELECT \(text), \(1), \(Int64.max), \(true), \([0x00, 0xFF] as [UInt8]), \(missing), \(Optional("a")), \
            \(SQLValue.instant(5)), \(SQLValue.null)
            """
        #expect(sql.text == "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9")
        #expect(
            sql.values == [
                .text(text), .int(1), .int(.max), .int(1), .bytes([0x00, 0xFF]), .null, .text("a"), .instant(5), .null,
            ])
    }

    @Test("A nested statement gets new numbers for its values")
    func parts() {
        let inner: SQL = "a = \(1) AND b = \("x")"
        let middle: SQL = "(\(inner)) OR c = \(2)"
        let sql: SQL = "SELECT \(0) WHERE \(middle) AND \(inner) AND d = \(3)"
        #expect(
            sql.text == "SELECT $1 WHERE (a = $2 AND b = $3) OR c = $4 AND a = $5 AND b = $6 AND d = $7")
        #expect(
            sql.values == [.int(0), .int(1), .text("x"), .int(2), .int(1), .text("x"), .int(3)])
    }

    @Test("A statement of more than nine values is renumbered as a whole")
    func manyValues() {
        let inner: SQL =
            "\(1),\(2),\(3),\(4),\(5),\(6),\(7),\(8),\(9),\(10),\(11)"
        let sql: SQL = "\(0),\(inner)"
        #expect(sql.text == "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12")
        #expect(sql.values == (0...11).map { .int($0) })
    }

    @Test("Each of many values has its own number")
    func numbers() {
        var parts = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 100)
        for number in 1...100 { parts.appendInterpolation(number) }
        #expect(SQL(stringInterpolation: parts).text == (1...100).map { "$\($0)" }.joined())
    }

    @Test("A statement with other values has the same text")
    func binding() {
        let statement: SQL = "SELECT \(.null), \("a")"
        let bound = statement.binding(.int(1), .text("b"))
        #expect(bound.text == statement.text)
        #expect(bound.values == [.int(1), .text("b")])
        #expect(statement.values == [.null, .text("a")])
    }

    @Test("A number used twice, or out of order, keeps its value")
    func reused() {
        let inner = SQL(stringLiteral: "x = $1")
        #expect(("\(inner)" as SQL).text == "x = $1")
        #expect(("\(9) \(inner)" as SQL).values == [.int(9)])
    }

    @Test("A dollar sign without a number stays, and a value's text is never searched")
    func dollars() {
        let inner: SQL = "a = \("$1 $2") AND b = '$' AND c = '$x'"
        let sql: SQL = "\(true) \(inner)"
        #expect(sql.text == "$1 a = $2 AND b = '$' AND c = '$x'")
        #expect(sql.values == [.int(1), .text("$1 $2")])
    }

    @Test(
        "Every placeholder is replaced once, and nothing else",
        arguments: [
            ("", ""), ("SELECT 1", "SELECT 1"), ("a = $1 AND b = $12", "a = <1> AND b = <12>"),
            (
                "$2 IS NULL OR $2 IS NOT NULL OR $2 IS DISTINCT FROM $3",
                "<2?> IS NULL OR <2?> IS NOT NULL OR <2> IS DISTINCT FROM <3>"
            ),
            ("id {uuid}, at {instant}) {table}", "id [uuid], at [instant]) [table]"),
            ("LIMIT 1 {skippingLocked}", "LIMIT 1 (skippingLocked)"), ("{ofMany}{uuid}$1", "(ofMany)[uuid]<1>"),
            ("'$' || '$x' || '{}' || '{a}' || '{' || '$", "'$' || '$x' || '{}' || '{a}' || '{' || '$"),
            ("'{ {uuid}'", "'{ [uuid]'"), ("'ä{text}ö$1ü'", "'ä[text]ö<1>ü'"),
        ])
    func placeholders(_ text: String, _ expected: String) {
        let replaced = Placeholders.replaced(
            in: text, value: { $1 ? "<\($0)?>" : "<\($0)>" }, type: { "[\($0.rawValue)]" },
            clause: { "(\($0.rawValue))" })
        #expect(replaced == expected)
    }

    @Test("Shared columns are text in the source")
    func columns() {
        #expect(("SELECT \(columns: "id, text") FROM note" as SQL).text == "SELECT id, text FROM note")
        #expect(("SELECT \(columns: "id, text") FROM note" as SQL).values.isEmpty)
        #expect(("a \(ColumnType.bytes)" as SQL).text == "a {bytes}")
    }
}
