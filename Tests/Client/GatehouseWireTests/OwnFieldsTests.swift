import Foundation
import GatehouseWire
import Testing

@Suite("An app's own fields as JSON")
struct OwnFieldsTests {
    /// RFC 7396, appendix A, where both documents are objects.
    @Test(
        "A merge patch sets, replaces, merges and removes",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"{"a":"foo"}"#, #"{"a":{"b":{"c":null}}}"#, #"{"a":{"b":{}}}"#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ])
    func mergePatch(_ before: String, _ patch: String, _ after: String) throws {
        var document = try #require(try JSONReader.read(before).objectValue)
        document.apply(mergePatch: try #require(try JSONReader.read(patch).objectValue))
        #expect(AuthJSON.object(document).text == after)
    }

    private struct Journal: Codable, Equatable {
        var mood: String?
        var streak = 0
        var startedAt: Date?
        var goals: [String: Double] = [:]
    }

    @Test("A value is encoded and decoded; nil is left out, and a date is ISO 8601")
    func codable() throws {
        let journal = Journal(mood: "calm", streak: 3, startedAt: Date(timeIntervalSince1970: 0), goals: ["steps": 1.5])
        let json = try AuthJSONObject(encoding: journal)
        #expect(
            AuthJSON.object(json).text
                == #"{"goals":{"steps":1.5},"mood":"calm","startedAt":"1970-01-01T00:00:00Z","streak":3}"#)
        #expect(try json.decoded(as: Journal.self) == journal)
        #expect(try AuthJSONObject(encoding: Journal())["mood"] == nil)
        #expect(throws: DecodingError.self) { try AuthJSONObject().decoded(as: Journal.self) }
        #expect(throws: EncodingError.self) { try AuthJSONObject(encoding: ["a", "b"]) }
    }
}
