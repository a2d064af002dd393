import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import SQLDatabase
import TestSupport
import Testing

@Suite("The length of access tokens")
struct TokenRoomTests {
    private static func text(_ count: Int) -> AuthJSON { .string(String(repeating: "x", count: count)) }

    /// As an import or an earlier limit left it.
    private func store(_ user: AuthJSON, app: AuthJSON = [:], of id: String, in server: TestServer) async throws {
        try await server.database.write { db in
            try db.run(
                """
                UPDATE users SET user_metadata = \(user.text), app_metadata = \(app.text) \
                WHERE id = \(id)
                """)
        }
    }

    @Test(
        "The longest metadata gives a token of 8,000 bytes or fewer, for the longest address, and one byte more is refused"
    )
    func limit() async throws {
        try await TestServer.with { server in
            let local = String(repeating: "a", count: 64)
            let label = String(repeating: "b", count: 61)
            let email = "\(local)@\(label).\(label).\(label).org"
            let session = try await server.signUp(email)
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            let room = TokenRoom().metadataBytes
            let own = [user["user_metadata"], user["app_metadata"]].reduce(0) { $0 + ($1?.text.utf8.count ?? 0) }
            func change(_ length: Int) async throws -> TestAnswer {
                try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: ["data": ["x": Self.text(length)]])
            }
            let longest = room - own - #","x":"""#.utf8.count
            let refused = try await change(longest + 1)
            #expect((refused.status, refused.code) == (400, "validation_failed"))
            #expect(try await change(longest).status == 200)
            let again = try #require(TestSession(try await server.signIn(email)))
            #expect(again.accessToken.utf8.count <= 8_000)
            #expect(try server.keys.verify(again.accessToken).claims.members["user_metadata"]?["x"] != nil)
        }
    }

    @Test("Every way to write metadata has the limit", arguments: TestDatabase.all)
    func ways(_ kind: TestDatabase) async throws {
        let much = Self.text(TokenRoom().metadataBytes)
        try await TestServer.with(on: kind, change: { $0.mail = MailRules() }) { server in
            let id = try await server.signUp().userID
            let user: AuthJSON = [
                "email": "b@example.com", "password": .string(TestServer.password), "data": ["x": much],
            ]
            let answers = [
                try await server.post("/signup", user), try await server.post("/signup", ["data": ["x": much]]),
                try await server.admin(
                    .post, "/users", json: ["email": "c@example.com", "user_metadata": ["x": much]]),
                try await server.admin(
                    .post, "/users", json: ["email": "c@example.com", "app_metadata": ["x": much]]),
                try await server.admin(.put, "/users/\(id)", json: ["app_metadata": ["x": much]]),
                try await server.send(
                    .post, "/auth/v1/invite", bearer: TestServer.secretKey,
                    json: ["email": "d@example.com", "data": ["x": much]]),
                try await server.admin(
                    .post, "/generate_link", json: ["type": "invite", "email": "d@example.com", "data": ["x": much]]),
            ]
            #expect(answers.map(\.status) == Array(repeating: 400, count: answers.count))
            #expect(try await server.accounts.count() == 1)
        }
    }

    @Test("Two invitations whose metadata together is too long: the second is refused", arguments: TestDatabase.all)
    func invited(_ kind: TestDatabase) async throws {
        let half = Self.text(TokenRoom().metadataBytes / 2)
        try await TestServer.with(on: kind, change: { $0.mail = MailRules() }) { server in
            func invite(_ member: String) async throws -> TestAnswer {
                try await server.send(
                    .post, "/auth/v1/invite", bearer: TestServer.secretKey,
                    json: ["email": "d@example.com", "data": .object([member: half])])
            }
            let statuses = [try await invite("a").status, try await invite("b").status]
            #expect(statuses == [200, 400])
        }
    }

    @Test("An account over the limit signs in, refreshes, and makes its metadata smaller", arguments: TestDatabase.all)
    func repair(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let id = try await server.signUp().userID
            try await store(
                ["a": Self.text(30_000), "b": Self.text(20_000)], app: ["plan": "gold"], of: id, in: server)
            let session = try #require(TestSession(try await server.signIn()))
            #expect(session.accessToken.utf8.count <= 8_000)
            let claims = try server.keys.verify(session.accessToken).claims.members
            #expect(claims["user_metadata"] == nil && claims["app_metadata"]?["plan"] == "gold")
            #expect(try await server.refresh(session.refreshToken).status == 200)
            let shown = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            #expect(shown["user_metadata"]?["b"] == Self.text(20_000))
            func change(_ data: AuthJSON) async throws -> Int {
                try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: ["data": data]).status
            }
            #expect(try await change(["c": 1]) == 400)
            #expect(try await change(["a": .null]) == 200)
            #expect(try await change(["b": .null]) == 200)
            let again = try #require(TestSession(try await server.signIn()))
            #expect(try server.keys.verify(again.accessToken).claims.members["user_metadata"] != nil)
        }
    }

    @Test("Tokens leave out app_metadata that alone is too long, and an administrator can still ban its user")
    func app() async throws {
        try await TestServer.with { server in
            let id = try await server.signUp().userID
            try await store([:], app: ["a": Self.text(32_000)], of: id, in: server)
            let session = try #require(TestSession(try await server.signIn()))
            #expect(try server.keys.verify(session.accessToken).claims.members["app_metadata"] == nil)
            #expect(try await server.admin(.put, "/users/\(id)", json: ["ban_duration": "1h"]).status == 200)
        }
    }

    @Test("A hook's claims have the limit of the server's own tokens")
    func hook() async throws {
        try await TestServer.with(hooks: TestHooks([.customAccessToken])) { server in
            func claims(_ length: Int) {
                server.receiver.answers { call in
                    var claims = call.json["claims"]?.objectValue ?? [:]
                    claims["x"] = Self.text(length)
                    return (200, ["claims": .object(claims)])
                }
            }
            claims(4_000)
            let session = try await server.signUp()
            #expect(session.accessToken.utf8.count <= 8_000)
            claims(6_000)
            let refused = try await server.signIn()
            #expect(refused.code == "unexpected_failure")
        }
    }
}
