import GatehouseServer
import GatehouseWire
import Testing

@Suite("Changes of a settings file")
struct SettingsTextTests {
    @Test(
        "A change keeps other lines, comments and order",
        arguments: [
            ("port: 80  # public\nhost: x\n", "port", "81", "port: 81  # public\nhost: x\n"),
            ("# a\nport: 80\n\n# b\nhost: x", "port", "81", "# a\nport: 81\n\n# b\nhost: x\n"),
            ("port: '80'\nhost: x\n", "port", nil, "host: x\n"),
            ("auth_paths:\n  - /\n  # b\n  - /a  # c\nhost: x\n", "auth_paths", "/b", "auth_paths: /b  # c\nhost: x\n"),
            ("auth_paths: [/,\n  /a]\nhost: x\n", "auth_paths", "/b", "auth_paths: /b\nhost: x\n"),
            ("webhooks: |\n  []\n\n# b\nhost: x\n", "webhooks", "[\n]\n", "webhooks: |\n  [\n  ]\n\n# b\nhost: x\n"),
            ("webhooks: |\n  []\n", "webhooks", nil, nil), ("host: x\nport:\n", "port", "80", "host: x\nport: 80\n"),
            ("\"port\": 80\nhost: x\n", "port", "81", "port: 81\nhost: x\n"),
            ("---\nport: 80\n", "host", "it's: #1", "---\nport: 80\nhost: 'it''s: #1'\n"),
            ("", "jwt_secret", "two\nlines", "jwt_secret: \"two\\nlines\"\n"), ("# a\n", "port", "", "# a\nport: ''\n"),
            ("  port: 80\n  host: x\n", "port", "81", "  port: 81\n  host: x\n"),
            ("{port: 80}\n", "port", "81", nil), ("port: 80\n...\n", "host", "x", nil),
            ("? port\n: 80\n", "port", "81", nil), ("host: |\n  x", "port", "80", nil),
            ("port: >-\n  80\n  90\nhost: x\n", "port", "1", "port: 1\nhost: x\n"),
        ] as [(String, String, String?, String?)])
    func changes(text: String, key: String, value: String?, expected: String?) throws {
        let before = try SettingsText(text)
        guard let expected else {
            #expect(throws: (any Error).self) { try before.changing([(key, value)]) }
            return
        }
        let after = try before.changing([(key, value)])
        #expect(after.text == expected)
        #expect(after[key] == value)
        #expect(try after.changing([(key, value)]).text == (value == nil ? after.text : expected))
    }

    @Test(
        "A nested document has the line of each value, and limits",
        arguments: [
            ("a:\n  - b: c\n    d: true\n", nil),
            ("a: &x b\n", "has an anchor, an alias or a tag in line 1: write the value itself"),
            ("a:\n  b: 1\n  b: 2\n", "has a key twice: see the lines from 2 on"),
            ("a: [[[[[[[[[[[[[[1]]]]]]]]]]]]]]\n", "is nested too deeply: see line 1"),
            ("- a\n", "is not a list of settings: expected lines such as port: 9999"),
            ("a: 1\n---\nb: 2\n", "is not valid YAML: see line 2, column 1"),
        ] as [(String, String?)])
    func nested(text: String, problem: String?) throws {
        do throws(YAMLProblem) {
            let root = try YAMLNode.read(text)
            #expect(problem == nil)
            guard case .mapping(let sections) = root.content, case .list(let nodes) = sections[0].value.content,
                case .mapping(let members) = nodes[0].content,
                case .text("true", isPlain: true) = members[1].value.content
            else {
                Issue.record("other values were read")
                return
            }
            #expect(members.map(\.key.line) == [2, 3])
        } catch {
            #expect(error.description == problem)
        }
    }
}
