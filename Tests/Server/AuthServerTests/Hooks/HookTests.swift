import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("Hooks")
struct HookTests {
    private func claims(_ server: TestServer) {
        server.receiver.answers { call in (200, ["claims": call.json["claims"] ?? [:]]) }
    }

    private func ends(_ server: TestServer, of user: String) async throws -> [EndedSession] {
        try await server.accounts.sessions.endedSessions(of: UserID(trusted: user), at: server.clock.now)
    }

    private func count(_ server: TestServer, _ action: String) async throws -> Int {
        try await server.accounts.auditLog(.action(action), page: PageRequest(number: 1, size: 10)).total
    }

    @Test("A session that a hook refuses never begins", arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: TestHooks([.customAccessToken])) { server in
            claims(server)
            let session = try await server.signUp()
            server.receiver.answers { _ in (200, ["error": ["http_code": 403, "message": "Not today"]]) }
            #expect(try await server.signIn().status == 403)
            #expect(try await ends(server, of: session.userID).isEmpty)
            #expect(try await count(server, "login") == 1)
            let sessions = try await server.accounts.sessions.sessions(
                of: UserID(trusted: session.userID), at: server.clock.now)
            #expect(sessions.count == 1)
        }
    }

    @Test("A hook that asks to sign a user out does so as the server", arguments: TestDatabase.all)
    func signedOut(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: TestHooks([.passwordVerificationAttempt])) { server in
            let session = try await server.signUp()
            server.receiver.answers { _ in (200, ["decision": "reject", "should_logout_user": true]) }
            #expect(try await server.signIn().code == "invalid_credentials")
            let ended = try await ends(server, of: session.userID)
            #expect(ended.map(\.reason) == [.endedByHook] && ended.map(\.actor) == [.system])
        }
    }

    @Test(
        "A refresh that is repeated while the hook is down ends nothing and fills no log", arguments: TestDatabase.all)
    func repeated(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: TestHooks([.customAccessToken])) { server in
            claims(server)
            let session = try await server.signUp()
            server.receiver.answers { _ in (500, [:]) }
            for _ in 0..<20 {
                #expect(try await server.refresh(session.refreshToken).status == 503)
                server.clock.advance(by: .seconds(60))
            }
            #expect(try await count(server, "token_repeated") == 0)
            #expect(try await ends(server, of: session.userID).isEmpty)
            claims(server)
            #expect(try await server.refresh(session.refreshToken).status == 200)
            #expect(try await count(server, "token_repeated") == 1)
        }
    }

    @Test("A hook that fails does not count as a wrong password", arguments: TestDatabase.all)
    func attempts(_ kind: TestDatabase) async throws {
        let hooks = TestHooks([.passwordVerificationAttempt])
        try await TestServer.with(on: kind, limits: AuthRates(), hooks: hooks) { server in
            _ = try await server.signUp()
            server.receiver.answers { _ in (500, [:]) }
            for password in Array(repeating: "wrong", count: 12) + Array(repeating: TestServer.password, count: 12) {
                #expect(try await server.signIn(password: password).code == "unexpected_failure")
            }
            server.receiver.answers { _ in (200, ["decision": "continue"]) }
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test(
        "Unknown accounts and wrong passwords get the same answer, unless the hook decides", arguments: TestDatabase.all
    )
    func unknown(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: TestHooks([.passwordVerificationAttempt])) { server in
            _ = try await server.signUp()
            let known = try await server.signIn(password: "wrong")
            let unknown = try await server.signIn("nobody@example.com")
            #expect((known.status, known.bytes) == (unknown.status, unknown.bytes))
            #expect(server.receiver.calls.count == 1)
        }
    }

    /// Without the ids and the address.
    private func question(_ call: HookReceiver.Call, about email: String) -> String {
        call.json.text.replacing(email, with: "address")
            .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "id")
    }

    @Test(
        "A hook that refuses or fails does not tell whether an address is taken: it gets the same question about each",
        arguments: TestDatabase.all, [403, 500])
    func takenAddress(_ kind: TestDatabase, status: Int) async throws {
        let hooks = TestHooks([.beforeUserCreated])
        try await TestServer.with(on: kind, hooks: hooks, change: { $0.confirmsAutomatically = false }) { server in
            func signUp(_ email: String) async throws -> (status: Int, json: AuthJSONObject) {
                let answer = try await server.send(
                    .post, "/auth/v1/signup",
                    json: ["email": .string(email), "password": "another password", "data": ["first_name": "Eve"]])
                // Each error has a new id.
                return (answer.status, answer.json.objectValue?.filter { $0.key != "error_id" } ?? [:])
            }
            let (waiting, taken) = ("bob@example.com", "ada@example.com")
            _ = try await server.admin(
                .post, "/users",
                json: ["email": .string(taken), "password": .string(TestServer.password), "email_confirm": true])
            #expect(try await signUp(waiting).status == 200)
            server.receiver.answers { _ in
                status == 500 ? (500, [:]) : (200, ["error": ["http_code": 403, "message": "Not today"]])
            }
            let free = try await signUp("eve@example.com")
            let asked = question(try #require(server.receiver.calls.last), about: "eve@example.com")
            #expect(free.status == status && asked.contains("address") && asked.contains("Eve"))
            for email in [waiting, taken] {
                let before = server.receiver.calls.count
                let answer = try await signUp(email)
                #expect((answer.status, answer.json) == (free.status, free.json), "\(email)")
                let calls = server.receiver.calls.dropFirst(before)
                #expect(calls.map(\.name) == ["before_user_created"])
                #expect(calls.map { question($0, about: email) } == [asked])
            }
            #expect(try await server.accounts.count() == 2)
        }
    }
}
