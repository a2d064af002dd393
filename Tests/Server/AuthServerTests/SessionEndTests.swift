import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Ended sessions, and tokens of other issuers")
struct SessionEndTests {
    private static let policy = SessionPolicy(timebox: .seconds(1_800))

    @Test("D5: A session past its time box changes nothing, whatever its token says", arguments: TestDatabase.all)
    func timebox(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, policy: Self.policy) { server in
            let session = try await server.signUp(data: ["first_name": "Ada"])
            let token = session.accessToken
            server.clock.advance(by: .seconds(1_801))
            let identity = "/auth/v1/user/identities/\(session.userID)"
            let calls: [(HTTPRequest.Method, String, AuthJSON?)] = [
                (.put, "/auth/v1/user", ["password": "another good one"]),
                (.put, "/auth/v1/user", ["email": "eve@example.com"]), (.put, "/auth/v1/user", ["data": ["a": 1]]),
                (.get, "/auth/v1/user", nil), (.get, "/auth/v1/sessions", nil),
                (.delete, "/auth/v1/sessions/\(session.userID)", nil), (.delete, identity, nil),
                (.post, identity + "/undo", nil), (.get, "/auth/v1/user/identities/authorize?provider=google", nil),
                (.post, "/auth/v1/token?grant_type=link_confirmation", ["link_ticket": "x"]),
            ]
            for (method, path, json) in calls {
                let answer = try await server.send(method, path, bearer: token, json: json)
                #expect(answer.status == 403, "\(method) \(path)")
                #expect(answer.code == "session_expired", "\(method) \(path)")
            }
            let patched = try await server.send(.patch, "/v1/auth/me", bearer: token, json: ["first_name": "Eve"])
            #expect(patched.status == 401)
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: token).status == 401)
            let again = try #require(TestSession(try await server.signIn()))
            let me = try await server.send(.get, "/v1/auth/me", bearer: again.accessToken)
            #expect(me["profile"]?["first_name"] == "Ada")
            let user = try await server.send(.get, "/auth/v1/user", bearer: again.accessToken)
            #expect(user["user_metadata"]?["a"] == nil)
        }
    }

    @Test("D5: Signing out with an ended session signs out everywhere")
    func signOut() async throws {
        try await TestServer.with(policy: Self.policy) { server in
            let old = try await server.signUp()
            server.clock.advance(by: .seconds(1_000))
            let other = try #require(TestSession(try await server.signIn()))
            server.clock.advance(by: .seconds(801))
            #expect(try await server.send(.post, "/auth/v1/logout", bearer: old.accessToken).status == 204)
            #expect(try await server.refresh(other.refreshToken).code == "refresh_token_not_found")
        }
    }

    @Test(
        "C4: A user's token is valid only with our issuer and the user's audience",
        arguments: [
            [:], ["iss": "https://other.example"], ["iss": .null], ["iss": ""], ["aud": "another"], ["aud": .null],
            ["aud": ["another", "authenticated"]],
        ] as [AuthJSONObject])
    func issuers(_ changes: AuthJSONObject) async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let usual: AuthJSONObject = ["sub": .string(session.userID), "role": "authenticated"]
            let claims = usual.merging(changes) { $1 }
            let token = try server.sharedToken(claims)
            let isOurs = changes.isEmpty || changes["aud"]?.arrayValue != nil
            let user = try await server.send(.get, "/auth/v1/user", bearer: token)
            #expect(user.status == (isOurs ? 200 : 403))
            #expect(user.code == (isOurs ? nil : "bad_jwt"))
            let out = try await server.send(.post, "/auth/v1/logout", bearer: token)
            #expect(out.status == (isOurs ? 204 : 403))
            #expect(try await server.refresh(session.refreshToken).status == (isOurs ? 400 : 200))
        }
    }

    @Test("C4: Keys are tokens without a user, of any issuer")
    func keys() async throws {
        try await TestServer.with { server in
            for issuer in ["supabase", .null] as [AuthJSON] {
                let key = try server.sharedToken(["role": "service_role", "iss": issuer, "aud": .null])
                #expect(try await server.send(.get, "/auth/v1/admin/users", bearer: key).status == 200)
            }
        }
    }

    @Test("C4: X-JWT-AUD is compared as well")
    func requestedAudience() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            for (audience, status) in [("authenticated", 200), ("another", 400)] {
                let answer = try await server.send(
                    .get, "/auth/v1/user", bearer: session.accessToken, headers: [.init("x-jwt-aud")!: audience])
                #expect(answer.status == status)
            }
        }
    }
}
