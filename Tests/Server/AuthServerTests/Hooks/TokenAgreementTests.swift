import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import Synchronization
import TestSupport
import Testing

@Suite("What the hook for access tokens agreed to")
struct TokenAgreementTests {
    /// Changes the account with each of the first `times` questions.
    private func changing(_ server: TestServer, times: Int, _ change: @escaping @Sendable (Int) -> AuthJSON) {
        let asked = Mutex(0)
        server.receiver.answers { [weak server] call in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            if number <= times, let user = call.json["user_id"]?.stringValue {
                _ = try await server?.admin(.put, "/users/\(user)", json: change(number))
            }
            return (200, ["claims": call.json["claims"] ?? [:]])
        }
    }

    private func claims(_ server: TestServer, _ answer: TestAnswer) throws -> AuthJSONObject {
        let session = try #require(TestSession(answer), "\(answer)")
        return try server.keys.verify(session.accessToken).claims.members
    }

    @Test("It is asked again about an account that has changed since, at most three times", arguments: TestDatabase.all)
    func changed(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, limits: AuthRates()) { server in
            _ = try await server.signUp()
            var asked = server.receiver.calls.count
            func questions() -> Int {
                defer { asked = server.receiver.calls.count }
                return server.receiver.calls.count - asked
            }
            changing(server, times: 1) { _ in ["role": "editor", "app_metadata": ["plan": "pro"]] }
            let signedIn = try claims(server, try await server.signIn())
            #expect(signedIn["role"] == "editor" && signedIn["app_metadata"]?["plan"] == "pro")
            #expect(questions() == 2)
            let before = try await server.traces()
            changing(server, times: 100) { number in ["role": .string("role\(number)")] }
            for _ in 0..<12 {
                let answer = try await server.signIn()
                #expect(answer.status == 503 && answer.headers[.retryAfter] != nil, "\(answer)")
                #expect(questions() == 3)
            }
            #expect(try await server.traces().first == before.first)
            server.agree()
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("A hook that changes metadata with every question still gets an answer", arguments: TestDatabase.all)
    func counting(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind) { server in
            _ = try await server.signUp()
            changing(server, times: 100) { number in ["app_metadata": ["asked": .integer(Int64(number))]] }
            let signedIn = try claims(server, try await server.signIn())
            #expect(signedIn["app_metadata"]?["asked"] == 2)
            #expect(server.receiver.calls.count == 4)
        }
    }

    @Test("An account that is banned or deleted while it is asked gets no session", arguments: TestDatabase.all)
    func gone(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind) { server in
            let ada = try await server.signUp()
            changing(server, times: 1) { _ in ["ban_duration": "1h"] }
            #expect(try await server.signIn().code == "user_banned")
            _ = try await server.admin(.put, "/users/\(ada.userID)", json: ["ban_duration": "none"])
            server.receiver.answers { [weak server] call in
                _ = try await server?.admin(.delete, "/users/\(ada.userID)")
                return (200, ["claims": call.json["claims"] ?? [:]])
            }
            #expect(try await server.signIn().code == "invalid_credentials")
            #expect(
                try await server.accounts.sessions.sessions(of: UserID(trusted: ada.userID), at: server.clock.now)
                    .isEmpty)
        }
    }

    @Test("The time that it takes changes nothing", arguments: TestDatabase.all)
    func slow(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind) { server in
            server.receiver.answers { [weak server] call in
                server?.clock.advance(by: .seconds(4))
                return (200, ["claims": call.json["claims"] ?? [:]])
            }
            let began = server.clock.now.seconds
            let answer = try await server.post(
                "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
            let claims = try claims(server, answer)
            #expect(claims["iat"]?.intValue == began && server.receiver.calls.count == 1)
            #expect(answer["expires_at"] == claims["exp"] && answer["expires_in"]?.intValue == 3_596)
        }
    }

    @Test("A new account is shown to both hooks under one id, which it then has", arguments: TestDatabase.all)
    func ids(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, hooks: [.customAccessToken, .beforeUserCreated]) { server in
            let ada = try await server.signUp()
            let calls = server.receiver.calls
            #expect(calls.map(\.name) == ["before_user_created", "custom_access_token"])
            #expect(calls.first?.json["user"]?["id"]?.stringValue == ada.userID)
            #expect(calls.last?.json["user_id"]?.stringValue == ada.userID)
            let anonymous = try #require(TestSession(try await server.post("/signup", [:])))
            #expect(server.receiver.calls.count == 4)
            #expect(server.receiver.calls.last?.json["user_id"]?.stringValue == anonymous.userID)
        }
    }

    @Test("Without the hook nothing runs twice", arguments: TestDatabase.all)
    func statements(_ kind: TestDatabase) async throws {
        let path = "/auth/v1/signup"
        let json: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
        for hooks in [[], [HookName.customAccessToken]] {
            try await TestServer.asking(on: kind, hooks: hooks) { server in
                let signUp = try await server.statements { _ = try await server.send(.post, path, json: json) }
                let signIn = try await server.statements { _ = try await server.signIn() }
                #expect((signUp, signIn) == (hooks.isEmpty ? (5, 4) : (10, 9)))
            }
        }
    }
}
