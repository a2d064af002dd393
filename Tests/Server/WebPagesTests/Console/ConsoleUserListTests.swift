import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

@Suite("The console's list of users")
struct ConsoleUserListTests {
    private static func with(
        _ kind: TestDatabase, _ work: @escaping @Sendable (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, hasPages: true, hasConsole: true) { server in
            let console = WebBrowser(server)
            try await console.open("/console/sign-in")
            try await console.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await work(server, console)
        }
    }

    private static func create(_ server: TestServer, _ email: String, _ names: AuthJSON = [:]) async throws -> String {
        let made = try await server.admin(
            .post, "/users", json: ["email": .string(email), "email_confirm": true, "user_metadata": names])
        server.clock.advance(by: .seconds(1))
        return try #require(made["id"]?.stringValue)
    }

    /// The texts of the first column.
    private static func people(_ console: WebBrowser) -> [String] {
        WebPage.between("data-title=\"User\"><div>", "</a>", in: console.page.text).map {
            $0.split(ascii: ">").last.map(String.init) ?? ""
        }
    }

    @Test(
        "Users are found by their last name, listed with it, and titled with name and email",
        arguments: TestDatabase.all)
    func names(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { server, console in
            let id = try await Self.create(
                server, "ada@example.com", ["first_name": "Ada", "last_name": "<Lovelace>"])
            _ = try await Self.create(server, "grace@example.com")
            try await console.open("/console/users?q=lovelace")
            #expect(Self.people(console) == ["ada@example.com"])
            #expect(console.page.text.contains("<div>Ada &lt;Lovelace&gt;</div>"))
            try await console.open("/console/users/\(id)")
            #expect(console.page.title == "Ada &lt;Lovelace&gt; (ada@example.com)")
            #expect(console.page.text.contains("<dt>First name</dt><dd>Ada</dd>"))
        }
    }

    @Test("The list has counts that filter it, and runs in both orders", arguments: TestDatabase.all)
    func counts(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { server, console in
            let ada = try await Self.create(server, "ada@example.com")
            _ = try await Self.create(server, "grace@example.com")
            _ = try await server.admin(.put, "/users/\(ada)", json: ["ban_duration": "1h"])
            try await console.open("/console/users")
            #expect(Self.people(console) == ["grace@example.com", "ada@example.com"])
            #expect(console.page.text.contains(">✓ 2 users</a>") && console.page.text.contains(">1 banned</a>"))
            #expect(!console.page.text.contains("0 anonymous"))
            try await console.open("/console/users?order=oldest")
            #expect(Self.people(console) == ["ada@example.com", "grace@example.com"])
            #expect(console.page.text.contains("aria-sort=\"ascending\""))
            try await console.open("/console/users?state=banned")
            #expect(Self.people(console) == ["ada@example.com"])
            #expect(console.page.text.contains(">✓ 1 banned</a>"))
        }
    }

    @Test("A search without a match says what can be searched", arguments: TestDatabase.all)
    func nobody(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { server, console in
            _ = try await Self.create(server, "ada@example.com")
            try await console.open("/console/users?q=nobody")
            #expect(console.page.text.contains("No users match. Search for a name, the beginning of an email"))
            try await console.open("/console/users?state=banned")
            #expect(console.page.text.contains("No users match. Change or remove a filter."))
        }
    }

    @Test("The user's page shows the app's own fields as facts", arguments: TestDatabase.all)
    func profile(_ kind: TestDatabase) async throws {
        try await Self.with(kind) { server, console in
            let id = try await Self.create(server, "ada@example.com")
            try await server.database.write { db in
                _ = try db.run(
                    """
                    UPDATE profiles SET name = 'Ada', data = '{"club":"Engines","level":3,"tags":["a","b"],"off":false}'
                    WHERE id = \(id)
                    """)
            }
            try await console.open("/console/users/\(id)")
            for fact in ["Name</dt><dd>Ada", "club</dt><dd>Engines", "level</dt><dd>3", "tags</dt><dd>a, b"] {
                #expect(console.page.text.contains("<dt>\(fact)</dd>"), "\(fact)")
            }
            #expect(!console.page.text.contains("<dt>off</dt>"))
        }
    }
}
