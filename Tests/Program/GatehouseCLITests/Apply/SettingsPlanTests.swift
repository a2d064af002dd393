import Foundation
import GatehouseCLI
import GatehouseServer
import GatehouseWire
import Testing

@Suite("The plan for a settings file")
struct SettingsPlanTests {
    private func plan(_ document: String, _ before: String, prunes: Bool = false) throws -> SettingsPlan {
        let wanted = try ConfigDocumentTests.document("settings:\n" + document).settings ?? []
        return try SettingsPlan(
            wanted, path: "gatehouse.yaml", before: SettingsText(before), document: "a.yaml", prunes: prunes)
    }

    private static let hooks = """
        webhooks: '[{"name": "a", "secrets": "s", "url": "https://a.example"}, {"name": "b", "secrets": "t"}]'

        """

    @Test(
        "Each change is a line without secrets; the same again is none",
        arguments: [
            ("  port: 81\n", "port: 80\n", "port: 81\n", ["~ settings port: 80 -> 81"]),
            ("  port: 80\n", "# none\n", "# none\nport: 80\n", ["+ settings port: 80"]),
            ("  port: ''\n  host: ''\n", "port: 80\nlog_level: info\n", "log_level: info\n", ["- settings port"]),
            ("  smtp_pass: new\n", "smtp_pass: old\n", "smtp_pass: new\n", ["~ settings smtp_pass: changed"]),
            ("  smtp_pass: new\n", "port: 80\n", "port: 80\nsmtp_pass: new\n", ["+ settings smtp_pass"]),
            ("  host: ${NAME}\n", "host: x\n", "host: '${NAME}'\n", ["~ settings host: changed"]),
            ("  smtp_pass_file: /a\n", "smtp_pass: old\n", "smtp_pass_file: /a\n", ["~ settings smtp_pass_file: /a"]),
            (
                "  smtp_pass: new\n", "smtp_pass_file: /dev/null\n", "smtp_pass: new\n",
                ["~ settings smtp_pass: changed"]
            ),
            (
                "  database: postgres://u:p@h/d\n", "database: a.sqlite\n", "database: postgres://u:p@h/d\n",
                ["~ settings database: changed"]
            ),
            ("  smtp_pass: ••••\n", "smtp_pass: old\n", "smtp_pass: old\n", []),
            ("  auth_paths: [/, /a]\n", "auth_paths:\n  - /\n  - /a\n", "auth_paths:\n  - /\n  - /a\n", []),
            (
                "  webhooks: [{name: a, url: 'https://a.example', secrets: ••••}, {name: b, secrets: ••••}]\n", hooks,
                hooks, []
            ),
            (
                "  webhooks: [{name: c}, {name: a, secrets: ••••}]\n", hooks,
                """
                webhooks: |
                  [
                    {"name":"a","secrets":"s"},
                    {"name":"b","secrets":"t"},
                    {"name":"c"}
                  ]

                """, ["~ webhooks a: changed", "+ webhooks c"]
            ),
        ] as [(String, String, String, [String])])
    func changes(document: String, before: String, after: String, lines: [String]) throws {
        let plan = try plan(document, before)
        #expect(plan.after.text == after)
        #expect(plan.lines.map { "\($0.sign.rawValue) \($0.text)" } == lines)
        let again = try self.plan(document, after)
        #expect(again.lines.isEmpty)
        #expect(again.after == again.before)
    }

    @Test("What the document omits stays, and is removed by --prune")
    func pruning() throws {
        let (document, before) = (
            "  port: 80\n  webhooks: [{name: a, secrets: ••••}]\n", "port: 80\nhost: x\n" + Self.hooks
        )
        let kept = try plan(document, before)
        #expect(kept.unlisted == ["webhooks b", "settings host"])
        #expect(kept.after["host"] == "x")
        let pruned = try plan(document, before, prunes: true)
        #expect(pruned.unlisted.isEmpty)
        #expect(
            pruned.lines == [
                PlanLine(.change, "webhooks a: changed"), PlanLine(.remove, "webhooks b"),
                PlanLine(.remove, "settings host"),
            ])
        #expect(pruned.after.text == "port: 80\nwebhooks: |\n  [\n    {\"name\":\"a\",\"secrets\":\"s\"}\n  ]\n")
        let empty = try plan("  port: 80\n  webhooks: []\n", "port: 80\n" + Self.hooks, prunes: true)
        #expect(empty.after.text == "port: 80\n")
    }

    @Test(
        "A mask without a value, and a list that cannot be read, are problems",
        arguments: [
            ("  smtp_pass: ••••\n", "port: 80\n", "smtp_pass is masked, and the settings file has no value to keep"),
            (
                "  webhooks: [{name: a, secrets: ••••}]\n", "port: 80\n",
                "secrets of a is masked, and has no value to keep"
            ),
            ("  webhooks: [{name: a}]\n", "webhooks: '{}'\n", "webhooks in the settings file is no JSON array"),
        ])
    func problems(document: String, before: String, problem: String) throws {
        let error = try #require(throws: DocumentProblems.self) { try plan(document, before) }
        #expect(error.problems == [DocumentProblem(2, problem)])
    }

    @Test("The exported text has no secret, is accepted, and plans no change")
    func exported() throws {
        let file = try SettingsText(
            """
            # the mail server
            smtp_pass: hush
            database: postgres://u:hush@h/d
            hook_send_email_uri: https://a.example/?hush
            hush_setting: hush
            smtp_user: 'a ${NAME} #1'
            secrets_file: /etc/secrets
            host: ''
            jwt_keys: '[{"d":"hush"}]'
            webhooks: '[{"name": "a", "secrets": "hush", "url": "https://a.example/?hush", "events": ["user.created"]}]'
            openid_providers: '[{"name": "true", "client_secret": "hush", "pkce": true, "endpoints": {"jwks": "https://hush@a.example"}, "scopes": []}]'
            oauth_providers: '[{"name": "b", "headers": {"X-Key": "hush"}}, "hush"]'

            """)
        let text = ConfigText.settings(file)
        #expect(text.split(separator: "\n").filter { $0.contains("hush") } == ["  hush_setting: '••••'"])
        let known = try SettingsText(
            file.text.replacing("hush_setting: hush\n", with: "").replacing(", \"hush\"]", with: "]"))
        let plan = try plan(
            String(ConfigText.settings(known).dropFirst("settings:\n".count)), known.text, prunes: true)
        #expect(plan.lines.isEmpty)
        #expect(plan.after == known)
        #expect(text.contains("  smtp_user: 'a $${NAME} #1'\n  secrets_file: /etc/secrets\n  host: ''\n"))
    }
}
