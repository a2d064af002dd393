import GatehouseWire
import Testing

@Suite("JSON reader")
struct JSONReaderTests {
    @Test(
        "A number without fraction and exponent that fits 64 bits is an integer, all others are doubles",
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("7", .integer(7)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .double(0x1p63)), ("-9223372036854775809", .double(-0x1p63)),
            ("0.5", .double(0.5)), ("-0.0", .double(-0.0)), ("0.1", .double(0.1)), ("1.0", .double(1)),
            ("1e2", .double(100)), ("1E+2", .double(100)), ("25e-1", .double(2.5)), ("0e0", .double(0)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1e-400", .double(0)), ("1e-99999999999999999999", .double(0)),
        ] as [(String, AuthJSON)])
    func numbers(_ text: String, _ expected: AuthJSON) throws {
        #expect(try JSONReader.read(text) == expected)
    }

    @Test("The sign of a negative zero survives")
    func negativeZero() throws {
        #expect(try JSONReader.read("-0.0").text == "-0.0")
    }

    @Test(
        "An invalid number is refused",
        arguments: [
            ("-", "not a number"), ("01", "not a number"), ("-01", "not a number"), ("00", "not a number"),
            ("1.", "not a number"), ("1.e5", "not a number"), ("1e", "not a number"), ("1e+", "not a number"),
            ("-a", "not a number"), ("-Infinity", "not a number"), (".5", "unexpected character"),
            ("+1", "unexpected character"), ("NaN", "unexpected character"), ("Infinity", "unexpected character"),
            ("0x1F", "text after the value"), ("1_000", "text after the value"), ("1,5", "text after the value"),
            ("1e400", "number out of range"), ("-1e400", "number out of range"),
            ("1e99999999999999999999", "number out of range"), ("١", "unexpected character"),
        ])
    func refusedNumbers(_ text: String, _ problem: String) {
        #expect(throws: JSONProblem.malformed(problem)) { try JSONReader.read(text) }
    }

    @Test(
        "Literals, whitespace, arrays and objects are read",
        arguments: [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n null \t\r\n ", .null),
            ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[1,[2,[]],{}]", [1, [2, []], [:]]),
            (#" { "a" : [ 1 , "b" ] , "c" : null } "#, ["a": [1, "b"], "c": .null]), (#"{"":0}"#, ["": 0]),
        ] as [(String, AuthJSON)])
    func structure(_ text: String, _ expected: AuthJSON) throws {
        #expect(try JSONReader.read(text) == expected)
    }

    @Test(
        "A broken structure is refused",
        arguments: [
            ("", "unexpected end"), ("  ", "unexpected end"), ("[", "unexpected end"), ("[1", "unexpected end"),
            ("[1,", "unexpected end"), ("{", "expected a member name"), (#"{"a""#, "expected a colon"),
            (#"{"a":"#, "unexpected end"), (#"{"a":1"#, "unexpected end"), (#"{"a":1,"#, "expected a member name"),
            ("nul", "unexpected character"), ("nulL", "unexpected character"), ("True", "unexpected character"),
            ("[1,]", "unexpected character"), ("[,1]", "unexpected character"), ("[1 2]", "expected a comma"),
            ("[1}", "expected a comma"), (#"{"a":1,}"#, "expected a member name"), ("{a:1}", "expected a member name"),
            ("{1:1}", "expected a member name"), (#"{"a" 1}"#, "expected a colon"), (#"{"a","b"}"#, "expected a colon"),
            (#"{"a":1 "b":2}"#, "expected a comma"), ("]", "unexpected character"), ("'a'", "unexpected character"),
            ("// note\n1", "unexpected character"), ("\u{B}1", "unexpected character"),
            ("\u{A0}1", "unexpected character"), ("\u{FEFF}1", "unexpected character"),
        ])
    func brokenStructure(_ text: String, _ problem: String) {
        #expect(throws: JSONProblem.malformed(problem)) { try JSONReader.read(text) }
    }

    @Test(
        "Only whitespace may follow the value",
        arguments: ["1 2", "{}{}", "null,", "[]]", "true false", "\"a\"b", "1\u{0}", "{}\u{FEFF}", "nullnull"])
    func trailingText(_ text: String) {
        #expect(throws: JSONProblem.malformed("text after the value")) { try JSONReader.read(text) }
    }

    @Test(
        "Strings and their escapes are read",
        arguments: [
            (#""""#, ""), (#""abc""#, "abc"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""a\u0041\u00e9\u00E9z""#, "aAééz"), (#""\u0001\u001f""#, "\u{1}\u{1F}"),
            (#""\ud83d\ude00\uD83D\uDE00""#, "😀😀"), (#""\uD800\uDC00""#, "\u{10000}"),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}"), (#""\uFFFF\ufffe\uE000""#, "\u{FFFF}\u{FFFE}\u{E000}"),
            (#""\\u0041""#, #"\u0041"#), ("\"é😀\u{7F}\u{2028}\"", "é😀\u{7F}\u{2028}"), (#""é\n😀""#, "é\n😀"),
        ])
    func strings(_ text: String, _ expected: String) throws {
        let read = try JSONReader.read(text).stringValue
        // `==` on text equates composed and decomposed letters.
        #expect(read.map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test(
        "Broken strings are refused",
        arguments: [
            (#"""#, "unexpected end"), (#""abc"#, "unexpected end"), (#""abc\"#, "unexpected end"),
            (#""abc\""#, "unexpected end"), (#""\u12"#, "unexpected end"), (#""\u12""#, "unexpected end"),
            (#""\u12"    "#, "unknown escape"), (#""\x41""#, "unknown escape"), (#""\U0041""#, "unknown escape"),
            (#""\'""#, "unknown escape"), (#""\u00g1""#, "unknown escape"), (#""\u+041""#, "unknown escape"),
            (#""\u 041""#, "unknown escape"), (#""\u００４１""#, "unknown escape"),
            ("\"\u{0}\"", "control character in a string"), ("\"a\tb\"", "control character in a string"),
            ("\"a\nb\"", "control character in a string"), ("\"\u{1F}\"", "control character in a string"),
            ("\"\\n\u{1}\"", "control character in a string"), (#""\u0000""#, "U+0000 in a string"),
            (#""a\u0000b""#, "U+0000 in a string"), (#""\uD800""#, "lone surrogate"), (#""\uDC00""#, "lone surrogate"),
            (#""\uDFFF""#, "lone surrogate"), (#""\uDBFFx""#, "lone surrogate"), (#""\uD800\n""#, "lone surrogate"),
            (#""\uD800\u0041""#, "lone surrogate"), (#""\uD800\uD800""#, "lone surrogate"),
            (#""\uDC00\uD800""#, "lone surrogate"), (#""\uDC00\uDC00""#, "lone surrogate"),
            (#""\uD800\uE000""#, "lone surrogate"), (#""\uD800\uDBFF""#, "lone surrogate"),
            (#""\uD83D\uDE0"#, "unexpected end"),
        ])
    func brokenStrings(_ text: String, _ problem: String) {
        #expect(throws: JSONProblem.malformed(problem)) { try JSONReader.read(text) }
    }

    @Test(
        "Invalid UTF-8 is refused, with an escape beside it and without",
        arguments: [
            ("a continuation alone", [0x80]), ("a start alone", [0xC3]), ("truncated, three bytes", [0xE2, 0x82]),
            ("truncated, four bytes", [0xF0, 0x9F, 0x98]), ("overlong slash, two bytes", [0xC0, 0xAF]),
            ("overlong U+0000", [0xC0, 0x80]), ("overlong slash, three bytes", [0xE0, 0x80, 0xAF]),
            ("overlong, four bytes", [0xF0, 0x80, 0x80, 0xAF]), ("surrogate U+D800", [0xED, 0xA0, 0x80]),
            ("surrogate pair", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]), ("above U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
            ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]), ("0xFE", [0xFE]), ("0xFF", [0xFF]),
        ] as [(String, [UInt8])])
    func invalidUTF8(_ name: String, _ bytes: [UInt8]) {
        for before in ["\"", "\"\\n", "{\"", "[\"a", "\"é"] {
            #expect(throws: JSONProblem.malformed("invalid UTF-8")) {
                try JSONReader.read(Array(before.utf8) + bytes + Array("\"".utf8))
            }
        }
        #expect(throws: JSONProblem.malformed("unexpected character")) { try JSONReader.read(bytes) }
    }

    @Test("Of two members with one name the last wins, escaped or not")
    func duplicates() throws {
        #expect(try JSONReader.read(#"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        #expect(try JSONReader.read(#"{"a":1,"\u0061":null}"#) == ["a": .null])
        #expect(try JSONReader.read(#"{"a":1,"A":2}"#) == ["a": 1, "A": 2])
    }

    @Test("Signed JSON has no duplicate names", arguments: [#"{"a":1,"a":1}"#, #"{"b":[{"a":1,"\u0061":2}]}"#])
    func refusedDuplicates(_ text: String) {
        #expect(throws: JSONProblem.malformed("a member stands twice")) {
            try JSONReader.read(Array(text.utf8), refusesDuplicates: true)
        }
    }

    @Test("100 levels around a value are accepted, one more is refused")
    func depth() throws {
        func nested(_ count: Int, _ open: String, _ inner: String, _ close: String) -> String {
            String(repeating: open, count: count) + inner + String(repeating: close, count: count)
        }
        let tooDeep = JSONProblem.malformed("nested too deeply")
        let deep = try JSONReader.read(nested(100, "[", "1", "]"))
        #expect(deep.text == nested(100, "[", "1", "]"))
        #expect(throws: Never.self) { try JSONReader.read(nested(100, #"{"a":"#, "1", "}")) }
        #expect(throws: tooDeep) { try JSONReader.read(nested(101, "[", "1", "]")) }
        #expect(throws: tooDeep) { try JSONReader.read(nested(101, #"{"a":"#, "1", "}")) }
        #expect(throws: tooDeep) { try JSONReader.read(nested(102, "[", "", "]")) }
        #expect(throws: tooDeep) { try JSONReader.read(String(repeating: "[", count: 1 << 20)) }
        #expect(throws: tooDeep) { try JSONReader.read(String(repeating: #"[{"":"#, count: 1 << 18)) }
    }

    @Test("A problem never repeats the input")
    func problemsAreOurs() {
        for text in [#"{"a":hunter2}"#, #""hunter2\x""#, "hunter2", #"{"hunter2" 1}"#] {
            #expect {
                try JSONReader.read(text)
            } throws: {
                !"\($0)".contains("hunter2")
            }
        }
    }
}
