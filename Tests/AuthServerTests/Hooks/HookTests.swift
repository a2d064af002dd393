import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import TestSupport
import Testing

@Suite("Hooks")
struct HookTests {
    private func claims(_ server: TestServer) {
        server.receiver.answers { call in (200, ["claims": call.json["claims"] ?? [:]]) }
    }

    private func ends(_ server: TestServer, of user: String) async throws -> [EndedSession] {
        try await server.accounts.endedSessions(of: UserID(trusted: user), at: server.clock.now)
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
            let sessions = try await server.accounts.sessions(of: UserID(trusted: session.userID), at: server.clock.now)
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
}
