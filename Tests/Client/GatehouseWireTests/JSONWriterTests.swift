import GatehouseWire
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return writer.text
    }

    @Test(
        "Text is escaped only where RFC 8259 §7 requires it",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), (#"say "hi""#, #""say \"hi\"""#), (#"a\b"#, #""a\\b""#),
            ("a/b", #""a/b""#), ("\n\r\t", #""\n\r\t""#), ("\r\n", #""\r\n""#),
            ("\u{0}\u{1}\u{8}\u{C}\u{1F}", #""\u0000\u0001\u0008\u000c\u001f""#), ("\u{7F}é😀", "\"\u{7F}é😀\""),
            ("<script>&\u{2028}", "\"<script>&\u{2028}\""),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(written { $0.value(text) } == expected)
        #expect(AuthJSON.object([text: 1]).text == "{\(expected):1}")
    }

    @Test("A character has the same escape wherever it is in a text")
    func everywhere() {
        for character in (UInt8(0)..<128).map({ String(UnicodeScalar($0)) }) {
            let escape = written { $0.value(character) }.dropFirst().dropLast()
            for length in 0..<20 {
                for filler in ["a", "é", " "] {
                    let (before, after) = (
                        String(repeating: filler, count: length), String(repeating: filler, count: 20)
                    )
                    #expect(written { $0.value(before + character + after) } == "\"\(before)\(escape)\(after)\"")
                }
            }
        }
    }

    @Test("Members and elements are separated by commas, at every level")
    func structure() {
        let text = written { writer in
            writer.beginObject()
            writer.member("text", "a")
            writer.member("number", Int64(-1))
            writer.member("flag", true)
            writer.member("time", Instant(microseconds: 1_500_000))
            writer.member("raw", json: #"{"x":[]}"#)
            writer.member("any", ["b": 2, "a": [.null, false]] as AuthJSON)
            writer.name("none")
            writer.null()
            writer.name("list")
            writer.beginArray()
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.endObject()
            writer.value("z")
            writer.value(Int64(7))
            writer.value(false)
            writer.null()
            writer.value(json: "1")
            writer.value(Instant(seconds: 0))
            writer.endArray()
            writer.member("last", "b")
            writer.endObject()
        }
        let expected =
            #"{"text":"a","number":-1,"flag":true,"time":"1970-01-01T00:00:01.5Z","raw":{"x":[]},"#
            + #""any":{"a":[null,false],"b":2},"none":null,"list":[[],{},"z",7,false,null,1,"1970-01-01T00:00:00Z"],"#
            + #""last":"b"}"#
        #expect(text == expected)
        #expect(throws: Never.self) { try JSONReader.read(text) }
    }

    @Test(
        "Empty structures and single values are valid documents",
        arguments: [([], "[]"), ([:], "{}"), (.null, "null"), ([[]], "[[]]"), ([[:], [:]], "[{},{}]")]
            as [(AuthJSON, String)])
    func small(_ value: AuthJSON, _ expected: String) {
        #expect(value.text == expected)
    }

    @Test("Members are sorted by name, so equal values give equal bytes")
    func order() {
        let value: AuthJSON = ["b": 1, "a": ["z": 1, "Z": 2, "10": 3, "9": 4], "é": 5, "": 6]
        #expect(value.text == #"{"":6,"a":{"10":3,"9":4,"Z":2,"z":1},"b":1,"é":5}"#)
        let names = (0..<200).map { "name\($0)" }
        let forward = AuthJSON.object(AuthJSONObject(Dictionary(uniqueKeysWithValues: names.map { ($0, .null) })))
        let backward = AuthJSON.object(
            AuthJSONObject(Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, .null) })))
        #expect(forward.text == backward.text)
    }

    @Test(
        "Numbers are written so that they read back as the same number",
        arguments: [
            (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"), (0, "0"),
            (.double(0.1), "0.1"), (.double(0.1 + 0.2), "0.30000000000000004"), (.double(1), "1.0"),
            (.double(-0.0), "-0.0"), (.double(1e21), "1e+21"), (.double(1e16), "1e+16"),
            (.double(.leastNonzeroMagnitude), "5e-324"),
            (.double(-1.5e-7), "-1.5e-07"), (.double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        ] as [(AuthJSON, String)])
    func numbers(_ value: AuthJSON, _ expected: String) throws {
        #expect(value.text == expected)
        #expect(try JSONReader.read(value.text) == value)
    }

    @Test("A double without a JSON form is written as null", arguments: [Double.infinity, -.infinity, .nan])
    func noNumber(_ value: Double) {
        #expect(AuthJSON.array([.double(value), 1]).text == "[null,1]")
    }

    @Test("Metadata merges at the top level, and a null deletes the key")
    func merge() {
        var members: AuthJSONObject = ["a": 1, "b": ["x": 1], "c": 3]
        members.merge(deletingNulls: ["b": ["y": 2], "c": .null, "d": false, "e": .null])
        #expect(members == ["a": 1, "b": ["y": 2], "d": false])
    }
}
