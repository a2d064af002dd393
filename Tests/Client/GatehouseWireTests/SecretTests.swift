import GatehouseWire
import Testing

@Suite("Secret")
struct SecretTests {
    private static let word = "hunter2"
    private struct Holder {
        let name = "ada"
        let secret = Secret(word)
        let maybe: Secret? = Secret(word)
        let list = [Secret(word)]
    }
    private enum Outcome {
        case failed(Secret, code: Int)
    }
    private struct Failure: Error { let secret = Secret(word) }
    private final class Box { let secret = Secret(word) }

    private static func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    private static func printed(_ value: Any) -> String {
        var text = ""
        print(value, to: &text)
        debugPrint(value, to: &text)
        return text
    }

    /// All text that reflection reaches.
    private static func reflected(_ value: Any, depth: Int = 6) -> String {
        let children = depth == 0 ? [] : Array(Mirror(reflecting: value).children)
        return "\(value)" + children.map { reflected($0.value, depth: depth - 1) }.joined()
    }

    @Test("A secret shows itself as <secret> in every text form")
    func alone() {
        let secret = Secret(Self.word)
        #expect("\(secret)" == "<secret>")
        #expect(String(describing: secret) == "<secret>")
        #expect(String(reflecting: secret) == "<secret>")
        #expect(secret.description == "<secret>")
        #expect(secret.debugDescription == "<secret>")
        #expect(Self.dumped(secret) == "- <secret>\n")
        #expect(Self.printed(secret) == "<secret>\n<secret>\n")
        #expect("\(secret as Any)" == "<secret>")
        #expect(String(describing: Optional(secret)) == "Optional(<secret>)")
        #expect("\([secret])" == "[<secret>]")
        #expect("\(["k": secret])" == #"["k": <secret>]"#)
    }

    @Test("Reflection finds nothing inside a secret")
    func reflection() {
        let mirror = Mirror(reflecting: Secret(Self.word))
        #expect(mirror.children.isEmpty)
        #expect(mirror.descendant("text") == nil)
        #expect(mirror.superclassMirror == nil)
    }

    @Test("A container of a secret does not show it either")
    func inside() {
        let secret = Secret(Self.word)
        let values: [Any] = [
            Holder(), Outcome.failed(secret, code: 1), Failure(), Box(), Optional(secret) as Any, [secret],
            [[secret]], ["k": secret], (secret, 1), Result<Secret, Failure>.success(secret),
            Result<Secret, Failure>.failure(Failure()), repeatElement(secret, count: 2), [secret].lazy.map { $0 },
        ]
        for value in values {
            for text in [Self.printed(value), Self.dumped(value), Self.reflected(value), String(reflecting: value)] {
                #expect(!text.contains(Self.word))
            }
        }
        #expect("\(Holder())".contains("<secret>"))
        #expect(Self.dumped(Holder()).contains("- secret: <secret>"))
    }

    @Test("A secret is neither comparable with ==, hashable nor encodable, so that nothing uses it by accident")
    func conformances() {
        let secret: Any = Secret(Self.word)
        #expect(!(secret is any Equatable))
        #expect(!(secret is any Hashable))
        #expect(!(secret is any Encodable))
        #expect(!(secret is any LosslessStringConvertible))
        #expect(!(secret is any TextOutputStreamable))
    }

    @Test(
        "Two secrets match when their bytes are the same",
        arguments: [
            ("", "", true), ("a", "a", true), ("hunter2", "hunter2", true), ("hunter2", "hunter3", false),
            ("hunter2", "Hunter2", false), ("hunter2", "hunter", false), ("", "a", false), ("a", "", false),
            ("ab", "ba", false), ("é", "é", true), ("\u{E9}", "e\u{301}", false), ("a\u{0}b", "a\u{0}c", false),
        ])
    func matches(_ left: String, _ right: String, _ expected: Bool) {
        #expect(Secret(left).matches(Secret(right)) == expected)
        #expect(Secret(right).matches(Secret(left)) == expected)
    }

    @Test("A check can know, without the text, whether there is any and how many bytes")
    func size() {
        #expect(Secret("").isEmpty)
        #expect(!Secret("é").isEmpty)
        #expect(Secret("é").utf8Count == 2)
        #expect(Secret("é").reveal() == "é")
    }
}
