import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The console's audit log")
struct AuditPageTests {
    @Test("It lists every act with its user, filters, and exports", arguments: TestDatabase.all)
    func log(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasConsole: true) { server in
            let user = try await server.signUp("=ada@example.com").userID
            _ = try await server.admin(.put, "/users/\(user)", json: ["ban_duration": "1h"])
            let console = WebBrowser(server)
            try await console.open("/console/sign-in")
            try await console.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await console.open("/console/audit")
            #expect(console.page.title == "Audit Log")
            #expect(console.page.text.contains("user_signedup") && console.page.text.contains("user_modified"))
            #expect(console.page.text.contains("/console/users/\(user)"))

            try await console.open("/console/audit?actor=SERVICE&time=day")
            #expect(console.page.text.contains("user_modified") && !console.page.text.contains(">user_signedup"))
            try await console.open("/console/audit?action=user_deleted")
            #expect(console.page.text.contains("No entries match."))

            let table = try await console.open("/console/audit/export?format=csv").text
            #expect(table.hasPrefix("time,action,actor,actor_id,address,details\r\n"))
            #expect(table.contains("\"user_modified\",\"service_role\""))
            // A spreadsheet must not run an address.
            #expect(table.contains("\"'=ada@example.com\"") && !table.contains(",\"=ada"))
            let lines = try await console.open("/console/audit/export?format=jsonl&action=user_modified").text
            #expect(lines.split(separator: "\n").count == 1)
            #expect(try JSONReader.read(Array(lines.utf8))["payload"]?["action"] == "user_modified")
        }
    }

    @Test("Without a sign-in neither page nor export opens")
    func signedOut() async throws {
        try await TestServer.with(hasConsole: true) { server in
            for path in ["/console/audit", "/console/audit/export?format=csv"] {
                let browser = WebBrowser(server)
                try await browser.open(path)
                #expect(browser.page.title == "Sign In to the Console")
            }
        }
    }
}
