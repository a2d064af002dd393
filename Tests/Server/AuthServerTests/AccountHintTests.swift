import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// OpenID Connect Core §3.1.2.1.
@Suite("A client names the account that it expects")
struct AccountHintTests {
    private struct World {
        let server: TestServer
        let agent: TestAgent
        let ada: TestSession
        let bob: TestSession

        func see(_ id: String, _ user: TestSession) async throws -> TestAnswer {
            try await server.send(.get, "/auth/v1/oauth/authorizations/" + id, bearer: user.accessToken)
        }

        func decide(_ id: String, _ user: TestSession) async throws -> TestAnswer {
            try await server.send(
                .post, "/auth/v1/oauth/authorizations/\(id)/consent", bearer: user.accessToken,
                json: ["action": "approve"])
        }

        /// With a consent, which later requests do not ask for again.
        func tokens(of user: TestSession) async throws -> TestAnswer {
            let id = try await agent.ask()
            _ = try await see(id, user)
            let decided = try await decide(id, user)
            return try await agent.redeem(try #require(decided["redirect_url"]?.stringValue, "\(decided)"))
        }

        func idToken(of user: TestSession) async throws -> String {
            let tokens = try await tokens(of: user)
            return try #require(tokens["id_token"]?.stringValue, "\(tokens)")
        }

        /// Where a request without pages leads.
        func silently(_ user: TestSession, _ hints: [String: String]) async throws -> String {
            let id = try await agent.ask("openid email", hints.merging(["prompt": "none"]) { $1 })
            let seen = try await see(id, user)
            return try #require(seen["redirect_url"]?.stringValue, "\(seen)")
        }
    }

    private func serve(on kind: TestDatabase, _ test: (World) async throws -> Void) async throws {
        try await TestServer.with(on: kind) { settings in
            settings.oauth = .test
        } _: { server in
            let (ada, bob) = (try await server.signUp(), try await server.signUp("bob@example.com"))
            try await test(World(server: server, agent: try await TestAgent(server), ada: ada, bob: bob))
        }
    }

    @Test("Without pages, only the expected account is answered for", arguments: TestDatabase.all)
    func withoutPages(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { world in
            let (ada, bob) = (try await world.idToken(of: world.ada), try await world.idToken(of: world.bob))
            for hints in [["id_token_hint": ada], ["login_hint": "Ada@Example.com"], ["login_hint": "Ada King"]] {
                #expect(try await world.silently(world.ada, hints).contains("?code="), "\(hints.keys)")
            }
            for hints in [["id_token_hint": bob], ["login_hint": "bob@example.com"], ["login_hint": "+49 171 1"]] {
                let address = try await world.silently(world.ada, hints)
                #expect(address.contains("error=login_required"), "\(hints.keys)")
            }
            // The stricter hint decides.
            let both = try await world.silently(world.ada, ["id_token_hint": ada, "login_hint": "bob@example.com"])
            #expect(both.contains("?code="))
        }
    }

    @Test("An ID token's user alone can approve", arguments: TestDatabase.all)
    func onlyTheUser(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { world in
            let token = try await world.idToken(of: world.ada)
            // Expired ID tokens are hints as well.
            world.server.clock.advance(by: .seconds(86_400))
            let bob = try #require(TestSession(try await world.server.signIn("bob@example.com")))
            let id = try await world.agent.ask("openid email phone", ["id_token_hint": token])
            let seen = try await world.see(id, bob)
            #expect(seen["expected_account"] == "ada@example.com" && seen["needs_other_account"] == true, "\(seen)")
            let refused = try await world.decide(id, bob)
            #expect(refused.status == 404 && refused.code == "oauth_authorization_not_found")
            let released = try await world.server.send(
                .post, "/auth/v1/oauth/authorizations/\(id)/release", bearer: bob.accessToken)
            #expect(released.status == 204)
            let ada = try #require(TestSession(try await world.server.signIn()))
            #expect(try await world.see(id, ada)["expected_account"] == nil)
            #expect(try await world.decide(id, ada)["redirect_url"] != nil)
        }
    }

    @Test("A sign-in name is a hint: another account is named, and may approve", arguments: TestDatabase.all)
    func onlyAHint(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { world in
            _ = try await world.idToken(of: world.bob)
            // Despite the earlier consent.
            let id = try await world.agent.ask("openid email", ["login_hint": "ada@example.com"])
            let seen = try await world.see(id, world.bob)
            #expect(seen["expected_account"] == "ada@example.com" && seen["needs_other_account"] == nil, "\(seen)")
            #expect(try await world.decide(id, world.bob)["redirect_url"] != nil)
        }
    }

    @Test("The page's address has a hint that is an address or number, and nothing of an ID token")
    func pageAddress() async throws {
        try await serve(on: .sqlite) { world in
            let token = try await world.idToken(of: world.ada)
            for (hints, shown) in [
                (["login_hint": "Ada+x@Example.com"], "login_hint=ada%2Bx%40example.com&"),
                (["login_hint": "+49 171 1234567"], "login_hint=491711234567&"), (["login_hint": "Ada King"], ""),
                (["login_hint": "ada@example.com", "id_token_hint": token], ""), ([:], ""),
            ] {
                let address = try await world.agent.begin("openid", hints).headers[.location] ?? ""
                #expect(address.contains("?\(shown)authorization_id="), "\(address)")
            }
        }
    }

    @Test("Anything but an ID token of the client is refused", arguments: TestDatabase.all)
    func badHints(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { world in
            let other = World(
                server: world.server, agent: try await TestAgent(world.server), ada: world.ada, bob: world.bob)
            let tokens = try await world.tokens(of: world.ada)
            let access = try #require(tokens["access_token"]?.stringValue)
            for hint in [try await other.idToken(of: world.ada), access, world.ada.accessToken, "a.b.c"] {
                let answer = try await world.agent.begin("openid", ["id_token_hint": hint])
                let address = answer.headers[.location] ?? ""
                #expect(address.hasPrefix(TestAgent.redirect + "?error=invalid_request"), "\(answer)")
            }
        }
    }
}
