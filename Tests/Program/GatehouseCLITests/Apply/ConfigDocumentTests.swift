import GatehouseCLI
import GatehouseServer
import GatehouseWire
import Testing

@Suite("The document of gatehouse apply")
struct ConfigDocumentTests {
    struct Missing: Error, CustomStringConvertible { var description: String { "there is no such file" } }

    static func document(_ text: String) throws(DocumentProblems) -> ConfigDocument {
        try ConfigDocument(text, name: "a.yaml", environment: ["NAME": "${NAME}", "EMPTY": ""]) { path in
            guard path == "/secret" else { throw Missing() }
            return "of a file"
        }
    }

    @Test(
        "Values come from the document, the environment and, for secrets, from files",
        arguments: [
            ("port: 80", "80", false), ("auth_paths: [/, \"/a\"]", "/,/a", false), ("host: ''", "", false),
            ("host: ${NAME}", "${NAME}", true), ("host: a${NAME}b", "a${NAME}b", true),
            ("host: $${NAME}", "${NAME}", false),
            ("host: file:/secret", "file:/secret", false), ("jwt_secret: file:/secret", "of a file", true),
            ("jwt_secret_file: file:/secret", "file:/secret", false),
            ("secret_keys: [a, \"${NAME}\"]", "a,${NAME}", true),
        ])
    func values(line: String, text: String, isHidden: Bool) throws {
        let setting = try #require(Self.document("settings:\n  \(line)\n").settings?.first)
        guard case .text(let found, let hides) = setting.value else {
            Issue.record("another value was read")
            return
        }
        #expect(found == text)
        #expect(hides == isHidden)
        #expect(setting.line == 2)
    }

    @Test("An entry has texts, booleans without quotes, and members that are secret unless known")
    func entries() throws {
        let text = """
            settings:
              openid_providers:
                - {name: "true", pkce: false, client_id: file:/secret, client_secret: file:/secret, scopes: [a, true]}
              webhooks: ••••
            """
        let settings = try #require(Self.document(text).settings)
        guard case .entries(let entries) = settings[0].value, case .kept = settings[1].value else {
            Issue.record("other values were read")
            return
        }
        #expect(
            entries.map(\.value) == [
                [
                    "name": "true", "pkce": false, "client_id": "file:/secret", "client_secret": "of a file",
                    "scopes": ["a", true],
                ]
            ])
    }

    @Test(
        "Every problem has its line, and none quotes a value",
        arguments: [
            ("settings:\n  prot: 80\n", [(2, "prot is not a setting; did you mean port?")]),
            (
                "settings:\n  port: {a: b}\n",
                [(2, "port expected a text or a list of texts, masked as a whole or not at all")]
            ),
            (
                "settings:\n  secret_keys:\n    - ••••\n",
                [(3, "secret_keys expected a text or a list of texts, masked as a whole or not at all")]
            ),
            (
                "settings:\n  secrets: a\n  secrets_file: b\n",
                [(3, "secrets is set together with secrets_file: keep one of them")]
            ),
            ("settings: port\n", [(1, "settings expected lines such as port: 9999")]),
            ("settings:\n  webhooks: '[]'\n", [(2, "webhooks expected a list of mappings, without quotes")]),
            (
                "settings:\n  webhooks:\n    - url: x\n    - x\n",
                [(3, "webhooks expected mappings with a name"), (4, "webhooks expected mappings with a name")]
            ),
            ("settings:\n  webhooks: [{name: a}, {name: a}]\n", [(2, "webhooks has two entries named a")]),
            (
                "settings:\n  oauth_providers:\n    - name: a\n      headers: {A: ••••}\n",
                [(4, "only a whole member can be masked")]
            ),
            ("settings:\n  host: ${EMPTY}\n", [(2, "EMPTY is not set")]),
            (
                "settings:\n  host: ${NA ME}\n  jwt_aud: ${\n",
                [(2, "expected ${NAME}; write $${ for ${ itself"), (3, "expected ${NAME}; write $${ for ${ itself")]
            ),
            ("settings:\n  jwt_secret: file:/hidden\n", [(2, "the file cannot be read: there is no such file")]),
            (
                "signing_keys:\n  rotate_after: 23h\n",
                [(2, "signing_keys expected rotate_after: and a duration of at least 24h, such as 2160h")]
            ),
            (
                "signing_keys: {}\n",
                [(1, "signing_keys expected rotate_after: and a duration of at least 24h, such as 2160h")]
            ),
            (
                "administrators:\n  - ada@example.org\n  - ADA@example.org\n  - ada\n",
                [(3, "ada@example.org is listed twice"), (4, "administrators expected emails or account IDs")]
            ),
            ("administrators:\n", [(1, "administrators expected a list of emails")]),
            (
                "administrator: []\n",
                [(1, "administrator is unknown; expected the sections settings, signing_keys and administrators")]
            ),
            ("", [(1, "expected the sections settings, signing_keys and administrators")]),
            ("settings:\n\tport: 80\n", [(2, "is not valid YAML: see line 2, column 1")]),
        ] as [(String, [(Int, String)])])
    func problems(text: String, expected: [(Int, String)]) {
        do throws(DocumentProblems) {
            _ = try Self.document(text)
            Issue.record("the document was accepted")
        } catch {
            #expect(error.problems == expected.map { DocumentProblem($0, $1) })
        }
    }

    @Test("Problems are told in the order of lines")
    func telling() throws {
        let error = try #require(throws: DocumentProblems.self) {
            try Self.document("settings:\n  prot: 80\n  host: ${EMPTY}\n")
        }
        #expect(
            error.description
                == "a.yaml has 2 problems:\n  line 2: prot is not a setting; did you mean port?\n  line 3: EMPTY is not set"
        )
    }
}
