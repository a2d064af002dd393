import AccountDomain
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("GET and PUT /user, POST /logout")
struct CurrentUserTests {
    @Test(
        "An invalid bearer is refused with its reason",
        arguments: [
            (nil, 401, "no_authorization"), ("", 401, "no_authorization"), ("a b", 401, "no_authorization"),
            ("garbage", 403, "bad_jwt"), ("a.b.c", 403, "bad_jwt"), ("sb_publishable_test", 403, "bad_jwt"),
            ("sb_secret_test", 403, "bad_jwt"),
        ] as [(String?, Int, String)])
    func bearers(_ bearer: String?, _ status: Int, _ code: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.get, "/auth/v1/user", bearer: bearer)
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test(
        "A token signed with the shared secret is checked claim by claim",
        arguments: [
            (["sub": "nobody"], 400, "bad_jwt"), ([:], 403, "bad_jwt"),
            (["sub": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"], 403, "user_not_found"),
            (["sub": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60", "session_id": "abc"], 403, "bad_jwt"),
            (["sub": "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60", "exp": 1], 403, "bad_jwt"),
        ] as [(AuthJSONObject, Int, String)])
    func claims(_ claims: AuthJSONObject, _ status: Int, _ code: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.get, "/auth/v1/user", bearer: try server.sharedToken(claims))
            #expect(answer.status == status)
            #expect(answer.code == code)
        }
    }

    @Test("A token without exp is refused, although Supabase Auth accepts it")
    func withoutExpiry() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let token = try server.sharedToken(["sub": .string(session.userID), "exp": .null])
            #expect(try await server.send(.get, "/auth/v1/user", bearer: token).code == "bad_jwt")
        }
    }

    @Test(
        "D1: Signing out ends this session, the others, or all",
        arguments: [
            ("", [403, 403]), ("?scope=global", [403, 403]), ("?scope=local", [403, 200]),
            ("?scope=others", [200, 403]),
        ])
    func scopes(_ query: String, _ statuses: [Int]) async throws {
        try await TestServer.with { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.signIn()))
            let out = try await server.send(.post, "/auth/v1/logout\(query)", bearer: first.accessToken)
            #expect(out.status == 204)
            #expect(out.bytes.isEmpty)
            var found: [Int] = []
            for token in [first.accessToken, second.accessToken] {
                found.append(try await server.send(.get, "/auth/v1/user", bearer: token).status)
            }
            #expect(found == statuses)
        }
    }

    @Test("A new password ends the other sessions and keeps this one")
    func newPassword() async throws {
        try await TestServer.with { server in
            let first = try await server.signUp()
            let second = try #require(TestSession(try await server.signIn()))
            let same = try await server.send(
                .put, "/auth/v1/user", bearer: first.accessToken, json: ["password": .string(TestServer.password)])
            #expect(same.code == "same_password")
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: first.accessToken, json: ["password": "another good one"])
            #expect(changed.status == 200)
            #expect(try await server.refresh(second.refreshToken).code == "refresh_token_not_found")
            #expect(try await server.refresh(first.refreshToken).status == 200)
            #expect(try await server.signIn(password: "another good one").status == 200)
        }
    }

    @Test("The settings decide whether the current password is required")
    func currentPassword() async throws {
        try await TestServer.with(change: { $0.requiresCurrentPassword = true }) { server in
            let session = try await server.signUp()
            let codes = try await [
                AuthJSON.object(["password": "another good one"]),
                ["password": "another good one", "current_password": "wrong"],
                ["password": "another good one", "current_password": .string(TestServer.password)],
            ].asyncMap { try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: $0).code }
            #expect(codes == ["current_password_required", "current_password_invalid", nil])
        }
    }

    @Test("A wrong current password changes nothing where none is required, too")
    func wrongCurrentPassword() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let changes: [AuthJSON] = [
                ["password": "another good one", "current_password": "wrong"],
                ["email": "new@example.com", "current_password": "wrong"],
                ["password": "another good one", "current_password": .string(TestServer.password)],
                ["password": "a third good one", "current_password": ""], ["password": "a fourth good one"],
            ]
            let codes = try await changes.asyncMap {
                try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: $0).code
            }
            #expect(codes == ["current_password_invalid", "current_password_invalid", nil, nil, nil])
            #expect(try await server.signIn(password: "a fourth good one").status == 200)
        }
    }

    @Test("With a required fresh sign-in, an old session changes nothing without the password")
    func freshSignIn() async throws {
        try await TestServer.with(policy: SessionPolicy(freshSignIn: .seconds(600))) { server in
            let session = try await server.signUp()
            @Sendable func change(_ json: AuthJSON, _ token: String) async throws -> String? {
                try await server.send(.put, "/auth/v1/user", bearer: token, json: json).code
            }
            #expect(try await change(["password": "another good one"], session.accessToken) == nil)
            server.clock.advance(by: .seconds(601))
            let current = AuthJSON.string("another good one")
            #expect(try await change(["email": "new@example.com"], session.accessToken) == "current_password_required")
            let changes: [AuthJSON] = [
                ["password": "a third good one"], ["password": "a third good one", "current_password": "wrong"],
                ["email": "new@example.com", "current_password": "wrong"],
                ["email": "new@example.com", "current_password": current], ["data": ["a": 1]],
            ]
            let codes = try await changes.asyncMap { try await change($0, session.accessToken) }
            #expect(
                codes == [
                    "current_password_required", "current_password_invalid", "current_password_invalid", nil, nil,
                ])
            let identity = "/auth/v1/user/identities/00000000-0000-4000-8000-000000000000"
            let unlinked = try await server.send(.delete, identity, bearer: session.accessToken)
            #expect(unlinked.code == "fresh_sign_in_required")
            let kept = try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken)
            #expect(kept.status == 403 && kept.text.contains("FRESH_SIGN_IN_REQUIRED"))
            let signedIn = try await server.signIn("new@example.com", password: "another good one")
            let fresh = try #require(TestSession(signedIn))
            #expect(try await change(["password": "a third good one"], fresh.accessToken) == nil)
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: fresh.accessToken).status == 204)
        }
    }

    @Test("Strict: a late repeat ends the session after the successor's access token was used, and is counted before")
    func strictRefresh() async throws {
        let strict = SessionPolicy(isStrict: true)
        for (policy, use) in [
            (strict, "/auth/v1/user"), (strict, "/v1/auth/me"), (strict, nil), (SessionPolicy(), "/auth/v1/user"),
        ] {
            try await TestServer.with(policy: policy) { server in
                let first = try await server.signUp()
                let second = try #require(TestSession(try await server.refresh(first.refreshToken)))
                if let use { #expect(try await server.send(.get, use, bearer: second.accessToken).status == 200) }
                #expect(try await server.refresh(first.refreshToken).status == 200)
                server.clock.advance(by: .seconds(11))
                let late = try await server.refresh(first.refreshToken)
                let ends = policy.isStrict && use != nil
                #expect(late.code == (ends ? "refresh_token_already_used" : nil))
                let line = "gatehouse_refreshes_total{verdict=\"\(ends ? "revoke" : "reissue_late")\"} 1"
                #expect(server.metrics.render().contains(line))
                #expect(try await server.refresh(second.refreshToken).status == (ends ? 400 : 200))
            }
        }
    }

    @Test("D9: Guessing the current password is as slow as guessing at sign-in", arguments: TestDatabase.all)
    func guesses(_ kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, limits: AuthRates(), change: { $0.requiresCurrentPassword = true }
        ) { server in
            let session = try await server.signUp()
            var answers: [Int] = []
            for number in 0..<11 {
                let answer = try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken,
                    json: ["password": "another good one", "current_password": .string("guess \(number)")],
                    peer: "198.51.100.\(number)")
                answers.append(answer.status)
            }
            #expect(answers == Array(repeating: 400, count: 10) + [429])
            // Separate counts: callers without a token cannot lock out its holder, nor the reverse.
            #expect(try await server.signIn(peer: "203.0.113.1").status == 200)
        }
    }

    @Test("Metadata is merged at the top level, and a null deletes")
    func metadata() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp(data: ["a": 1, "b": ["x": 1]])
            let answer = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["data": ["a": .null, "b": ["y": 2], "c": 3]])
            #expect(answer["user_metadata"]?["a"] == nil)
            #expect(answer["user_metadata"]?["b"] == ["y": 2])
            #expect(answer["user_metadata"]?["c"] == 3)
            let forbidden = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["app_metadata": ["role": "admin"]])
            #expect(forbidden.code == "not_admin")
        }
    }

    @Test("A new address takes effect under auto-confirm, unless it is taken")
    func email() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            _ = try await server.signUp("grace@example.com")
            let taken = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "grace@example.com"])
            #expect(taken.status == 422)
            #expect(taken.code == "email_exists")
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
            #expect(changed["email"] == "new@example.com")
            #expect(try await server.signIn().code == "invalid_credentials")
            #expect(try await server.signIn("new@example.com").status == 200)
        }
    }

    @Test("A wrong method is 405 for a known caller and 401 for others")
    func wrongMethod() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            #expect(try await server.send(.delete, "/auth/v1/user", bearer: session.accessToken).status == 405)
            #expect(try await server.send(.delete, "/auth/v1/user").status == 401)
            #expect(try await server.send(.get, "/auth/v1/nothing").text == "404 page not found\n")
        }
    }
}

extension TestServer {
    /// HS256, valid for an hour by default.
    func sharedToken(_ claims: AuthJSONObject) throws -> String {
        let usual: AuthJSONObject = [
            "iss": .string(settings.issuer), "exp": .integer(clock.now.seconds + 3_600), "aud": "authenticated",
        ]
        let all = usual.merging(claims) { $1 }
        let payload = AuthJSON.object(all.filter { !$0.value.isNull }).text
        return try TokenSigner(sharedSecret).sign(payload: Array(payload.utf8))
    }
}

extension Sequence {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
