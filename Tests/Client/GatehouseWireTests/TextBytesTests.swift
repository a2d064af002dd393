import GatehouseWire
import Testing

private enum Word: String, CaseIterable { case plain, marked = "\u{E9}" }

@Suite("Texts are compared by their bytes")
struct TextBytesTests {
    /// One letter in two spellings.
    private let short = "\u{E9}"
    private let long = "e\u{301}"

    @Test("Operators distinguish texts that normalize alike")
    func operators() {
        let (optional, other): (String?, String?) = (short, long)
        #expect(!(short == long) && short != long)
        #expect(!(optional == other) && optional != other)
        #expect(!(optional == long) && optional != long)
        #expect(!(other == "\u{E9}") && other != "\u{E9}" && !("\u{E9}" == other) && "\u{E9}" != other)
        #expect(optional == "\u{E9}" && !(optional != "\u{E9}") && "\u{E9}" == optional)
        #expect(!(long == "\u{E9}") && long != "\u{E9}" && long[...] != "\u{E9}")
        #expect(!(short[...] == long[...]) && short[...] != long[...])
        #expect(!(short[...] == long) && short[...] != long && !(long == short[...]) && long != short[...])
        #expect(long < short)
        let (same, none): (String, String?) = (String(decoding: Array(short.utf8), as: UTF8.self), nil)
        #expect(short == same && !(short != same) && optional == same && !(optional != same))
        #expect(none == nil && optional != nil && !(none == optional))
    }

    @Test("So do switch, contains, prefixes and suffixes")
    func others() {
        func isShort(_ text: String) -> Bool {
            switch text {
            case "\u{E9}": true
            default: false
            }
        }
        func isShortIfAny(_ text: String?) -> Bool {
            switch text {
            case "\u{E9}": true
            default: false
            }
        }
        #expect(isShort(short) && !isShort(long))
        #expect(isShortIfAny(short) && !isShortIfAny(long) && !isShortIfAny(nil))
        #expect([short].contains(short) && ![short].contains(long))
        #expect(Word(text: short) == .marked && Word(text: long) == nil && Word(text: "plain") == .plain)
        #expect((long + "x").hasPrefix(long) && !(long + "x").hasPrefix(short))
        #expect(long.hasPrefix("e") && long.hasSuffix("\u{301}") && !long.hasSuffix("x" + long))
        #expect(("x" + long).hasSuffix(long) && !("x" + long).hasSuffix(short))
        #expect("abc".hasPrefix("") && "abc".hasSuffix("") && !"abc".hasPrefix("abcd"))
    }

    @Test("A separator separates whatever marks follow it")
    func separators() {
        #expect("a,\u{301}b,,c".split(ascii: ",") == ["a", "\u{301}b", "c"])
        #expect("a,b,,c".split(ascii: ",", omittingEmptySubsequences: false) == ["a", "b", "", "c"])
        #expect("a,b,c".split(ascii: ",", maxSplits: 1) == ["a", "b,c"])
        #expect("a:\u{301}".contains(ascii: ":") && !"a".contains(ascii: ":"))
        #expect("e\u{301}x".cut(to: 1) == "e" && "ab".cut(to: 9) == "ab")
    }

    @Test("An external name has at most 256 bytes, and two spellings are two names")
    func names() throws {
        #expect(ExternalName(String(repeating: "x", count: 256)) != nil)
        #expect(ExternalName(String(repeating: "x", count: 257)) == nil)
        #expect(ExternalName(String(repeating: "é", count: 128)) != nil)
        #expect(ExternalName(String(repeating: "é", count: 129)) == nil)
        let (one, other) = try (#require(ExternalName(short)), #require(ExternalName(long)))
        #expect(one != other && other < one)
        #expect([one: 1, other: 2].count == 2)
        let same = try #require(ExternalName(String(decoding: Array(short.utf8), as: UTF8.self)))
        #expect([one: 1][same] == 1)
    }
}

@Suite("JSON objects")
struct JSONObjectTests {
    @Test("Names that differ only in bytes are two members, also in signed JSON")
    func names() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        let object = try #require(try JSONReader.read(Array(text.utf8), refusesDuplicates: true).objectValue)
        #expect(object.count == 2)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(AuthJSON.object(object).text == "{\"e\u{301}\":2,\"\u{E9}\":1}")
        #expect(AuthJSON.string("\u{E9}") != .string("e\u{301}"))
        #expect(Set<AuthJSON>(["\u{E9}", "e\u{301}", "\u{E9}"]).count == 2)
    }

    @Test("A name of more than 256 bytes is refused")
    func longNames() throws {
        func object(_ count: Int) throws -> AuthJSON {
            try JSONReader.read("{\"a\":[{\"\(String(repeating: "x", count: count))\":1}]}")
        }
        #expect(try object(256)["a"]?.arrayValue?.first?.objectValue?.count == 1)
        #expect(throws: JSONProblem.malformed("a member name is too long")) { try object(257) }
    }

    @Test("Members are set, removed, filtered and merged")
    func changes() {
        var object: AuthJSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object == ["a": 3, "b": 2])
        object["c"] = .null
        object["b"] = nil
        #expect(object.keys.sorted(by: <) == ["a", "c"] && object.count == 2 && !object.isEmpty)
        #expect(object.removeValue(forKey: "c") == .null && object.removeValue(forKey: "c") == nil)
        #expect(object.filter { $0.key == "z" }.isEmpty)
        #expect(object.merging(["a": 4, "d": 5]) { old, _ in old } == ["a": 3, "d": 5])
        #expect(object.merging(["a": 4, "d": 5]) { _, new in new } == ["a": 4, "d": 5])
        object.merge(deletingNulls: ["a": .null, "e": 6])
        #expect(object == ["e": 6])
        #expect(AuthJSONObject(["x": 1]) == ["x": 1])
        #expect(object.map(\.key) == ["e"] && Array(object.values) == [6])
    }
}
