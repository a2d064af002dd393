import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Additions to the admin API: search, history, sessions")
struct AdminSearchTests {
    private static let nobody = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"

    private static func routes(_ user: String, _ session: String) -> [(HTTPRequest.Method, String)] {
        [
            (.get, "/auth/v1/admin/search/users"), (.get, "/auth/v1/admin/users/\(user)/history"),
            (.delete, "/auth/v1/admin/users/\(user)/sessions/\(session)"),
            (.delete, "/auth/v1/admin/users/\(user)/sessions"),
        ]
    }

    @Test("Nobody but an administrator may use them")
    func guards() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            let session = try await Self.sessionID(server, ada.userID)
            for (method, path) in Self.routes(ada.userID, session) {
                #expect(try await server.send(method, path).status == 401)
                let own = try await server.send(method, path, bearer: ada.accessToken)
                #expect(own.status == 403 && own.code == "not_admin")
                #expect(try await server.send(method, path, bearer: "sb_publishable_test").status == 403)
            }
            #expect(try await server.send(.get, "/auth/v1/user", bearer: ada.accessToken).status == 200)
            for (method, path) in Self.routes(ada.userID, session) {
                #expect(try await server.send(method, path, bearer: TestServer.secretKey).status == 200, "\(path)")
            }
        }
    }

    @Test("An administrator's old session reads, and ends nothing")
    func freshSignIn() async throws {
        try await TestServer.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { server in
            _ = try await server.admin(
                .post, "/users",
                json: [
                    "email": "root@example.com", "password": .string(TestServer.password), "email_confirm": true,
                    "role": "supabase_admin",
                ])
            let root = try #require(TestSession(try await server.signIn("root@example.com")))
            let ada = try await server.signUp()
            server.clock.advance(by: .seconds(601))
            for (method, path) in Self.routes(ada.userID, Self.nobody) {
                let answer = try await server.send(method, path, bearer: root.accessToken)
                #expect(answer.status == (method == .get ? 200 : 403))
                if method != .get { #expect(answer.code == "fresh_sign_in_required") }
            }
        }
    }

    @Test("A number, or its beginning, finds its account; other digits find addresses", arguments: TestDatabase.all)
    func searchByNumber(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let people: [AuthJSON] = [
                ["phone": "491701234567"], ["phone": "491701234568"], ["phone": "15551230001"],
                ["email": "4444@example.com"],
            ]
            for person in people { _ = try await server.admin(.post, "/users", json: person) }
            for (text, people) in [
                ("%2B49%20170", ["491701234567", "491701234568"]), ("491701234568", ["491701234568"]),
                ("%2B1555", ["15551230001"]), ("4444", ["4444@example.com"]), ("%2B999999", []),
                ("(555)%20123-0001", ["15551230001"]), ("0170%20123-4568", ["491701234568"]),
            ] {
                let found = try await server.admin(.get, "/search/users?q=\(text)")["users"]?.arrayValue ?? []
                let names = found.map { $0["phone"]?.stringValue ?? $0["email"]?.stringValue ?? "" }
                #expect(names == people, "\(text)")
            }
        }
    }

    @Test("A search shows what a list needs, page by page", arguments: TestDatabase.all)
    func search(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for number in 0..<3 {
                let made = try await server.admin(
                    .post, "/users",
                    json: [
                        "email": .string("p\(number)@example.com"), "email_confirm": true,
                        "user_metadata": ["full_name": "Ada"],
                    ])
                #expect(made.status == 200)
                server.clock.advance(by: .seconds(1))
            }
            let first = try await server.admin(.get, "/search/users?limit=2")
            #expect(
                first["users"]?.arrayValue?.compactMap { $0["email"]?.stringValue } == [
                    "p2@example.com", "p1@example.com",
                ])
            #expect(first["users"]?.arrayValue?.first?["providers"] == ["email"])
            #expect(first["users"]?.arrayValue?.first?["full_name"] == "Ada")
            #expect(first.headers[.init("cache-control")!] == "no-store")
            let cursor = try #require(first["next"]?.stringValue)
            let second = try await server.admin(.get, "/search/users?limit=2&after=\(cursor)")
            #expect(second["users"]?.arrayValue?.count == 1 && second["next"] == nil)
            let found = try await server.admin(.get, "/search/users?q=P1%40Ex&method=email&state=active")
            #expect(found["users"]?.arrayValue?.count == 1)
            let byName = try await server.admin(.get, "/search/users?q=ad&limit=1")
            let rest = try #require(byName["next"]?.stringValue)
            let others = try await server.admin(.get, "/search/users?q=ad&after=\(rest)")
            #expect(others["users"]?.arrayValue?.count == 2)
            let oldest = try await server.admin(.get, "/search/users?order=oldest&limit=1&counts=true")
            #expect(oldest["users"]?.arrayValue?.first?["email"] == "p0@example.com")
            #expect(oldest["counts"]?["total"] == ["count": 3, "precision": "exact"])
            #expect(oldest["counts"]?["banned"] == ["count": 0, "precision": "exact"])
            #expect(first["counts"] == nil && oldest["is_incomplete"] == nil)
            let seen = "/search/users?seen_after=2020-01-01T00:00:00Z&seen_before=2020-01-02T00:00:00Z"
            #expect(try await server.admin(.get, seen)["users"] == [])
        }
    }

    @Test(
        "Invalid searches are refused",
        arguments: [
            "order=upwards", "limit=0", "limit=101", "limit=x", "state=asleep", "seen_after=yesterday", "seen_before=1",
            "q=a%00b",
            "method=%00", "after=x", "after=AAAA", "q=6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60&after=x",
            "q=\(String(repeating: "a", count: 257))", "method=\(String(repeating: "a", count: 257))",
            "after=\(String(repeating: "A", count: 3_000))",
        ])
    func refused(_ query: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.admin(.get, "/search/users?\(query)")
            #expect(answer.status == 400 && answer.code == "validation_failed", "\(answer)")
        }
    }

    @Test("The history of a user, who may be deleted, has the log's entries and the mails", arguments: TestDatabase.all)
    func history(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let ada = try await server.signUp()
            server.clock.advance(by: .seconds(1))
            let path = "/users/\(ada.userID)"
            _ = try await server.admin(.put, path, json: ["ban_duration": "none"])
            let history = try await server.admin(.get, path + "/history")
            let actions = history["audit"]?.arrayValue?.compactMap { $0["payload"]?["action"]?.stringValue }
            #expect(
                actions?.prefix(2) == ["user_unbanned", "user_modified"] && actions?.contains("user_signedup") == true)
            #expect(history["mails"] == [])
            #expect(try await server.admin(.get, path + "/history?limit=1")["audit"]?.arrayValue?.count == 1)
            #expect(try await server.admin(.get, path + "/history?limit=101").code == "validation_failed")
            server.clock.advance(by: .seconds(1))
            _ = try await server.admin(.delete, path)
            let gone = try await server.admin(.get, path + "/history")
            #expect(gone["audit"]?.arrayValue?.first?["payload"]?["action"] == "user_deleted")
            let unknown = try await server.admin(.get, "/users/\(Self.nobody)/history")
            #expect(unknown.status == 404 && unknown.code == "user_not_found")
            #expect(try await server.admin(.get, "/users/x/history").status == 404)
        }
    }

    @Test("Sessions end at once, with an entry in the log and a reason for the device", arguments: TestDatabase.all)
    func sessions(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let ada = try await server.signUp()
            let path = "/users/\(ada.userID)/sessions"
            let id = try await Self.sessionID(server, ada.userID)
            #expect(try await server.admin(.delete, "\(path)/\(Self.nobody)").code == "session_not_found")
            #expect(try await server.admin(.delete, "\(path)/x").code == "validation_failed")
            let ended = try await server.admin(.delete, "\(path)/\(id.uppercased())")
            #expect(ended.status == 200 && ended.text == "{}")
            let refused = try await server.send(.get, "/auth/v1/user", bearer: ada.accessToken)
            #expect(refused.headers[.init("x-gatehouse-session-end")!] == "signed_out")
            for _ in 0..<2 { _ = try await server.signIn() }
            #expect(try await server.admin(.delete, path)["ended"] == 2)
            #expect(try await server.admin(.delete, path)["ended"] == 0)
            #expect(try await server.admin(.delete, "/users/\(Self.nobody)/sessions").code == "user_not_found")
            let list = try await server.admin(.get, path)
            #expect(list["sessions"] == [] && list["ended"]?.arrayValue?.count == 3)
            #expect(list["ended"]?.arrayValue?.allSatisfy { $0["actor"] == "administrator" } == true)
            let log = try await server.admin(.get, "/audit?query=author:service_role")
            let traits = log.json.arrayValue?.compactMap { $0["payload"]?["traits"] } ?? []
            #expect(traits.contains { $0["session_id"] == .string(id) && $0["user_id"] == .string(ada.userID) })
            #expect(traits.contains { $0["scope"] == "global" && $0["sessions"] == 2 })
        }
    }

    private static func sessionID(_ server: TestServer, _ user: String) async throws -> String {
        let list = try await server.admin(.get, "/users/\(user)/sessions")
        return try #require(list["sessions"]?.arrayValue?.first?["id"]?.stringValue)
    }
}
