import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("POST /signup")
struct SignUpRouteTests {
    @Test("An address at an internationalized domain is one account in every form", arguments: TestDatabase.all)
    func internationalDomain(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp("Info@m\u{FC}nchen.example")
            for form in ["info@M\u{DC}NCHEN.example", "info@mu\u{308}nchen.example", "info@xn--mnchen-3ya.example"] {
                let answer = try await server.signIn(form)
                #expect(answer["user"]?["email"] == "info@xn--mnchen-3ya.example")
                #expect(TestSession(answer)?.userID == session.userID)
                let filter = FormText.escape(form)
                let found = try await server.admin(.get, "/users?filter=\(filter)")
                #expect(found["users"]?.arrayValue?.count == 1)
                let sought = try await server.admin(.get, "/search/users?q=\(filter)")
                #expect(sought["users"]?.arrayValue?.count == 1)
            }
            #expect(try await server.signIn("info@munchen.example").status == 400)
        }
    }

    @Test(
        "An address that no mail can reach is refused",
        arguments: [
            "info@\u{301}b.example", "gr\u{FC}\u{DF}e@example.com", String(repeating: "a", count: 243) + "@example.com",
        ])
    func unreachable(_ email: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(
                .post, "/auth/v1/signup", json: ["email": .string(email), "password": .string(TestServer.password)])
            #expect(answer.status == 400 && answer.code == "validation_failed")
            #expect(answer["message"]?.stringValue?.contains("invalid format") == true)
        }
    }

    @Test("D1: A sign-up gives a session whose token opens GET /user", arguments: TestDatabase.all)
    func works(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp(data: ["first_name": "Ada"])
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            #expect(user.status == 200)
            #expect(user["id"] == .string(session.userID))
            #expect(user["user_metadata"]?["first_name"] == "Ada")
            #expect(user["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(user["identities"]?.arrayValue?.count == 1)
        }
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: AuthJSON
        let status: Int
        let code: String
    }

    @Test(
        "An invalid sign-up is refused and creates nothing",
        arguments: [
            Refused(
                testDescription: "a missing password", json: ["email": "a@b.c"], status: 400, code: "validation_failed"),
            Refused(
                testDescription: "a short password", json: ["email": "a@b.c", "password": "seven77"], status: 422,
                code: "weak_password"),
            Refused(
                testDescription: "a common password", json: ["email": "a@b.c", "password": "Password123"], status: 422,
                code: "weak_password"),
            Refused(
                testDescription: "a password of 1,026 bytes",
                json: ["email": "a@b.c", "password": .string(String(repeating: "ä", count: 513))], status: 400,
                code: "validation_failed"),
            Refused(
                testDescription: "no address", json: ["email": "ada", "password": "correct horse"], status: 400,
                code: "validation_failed"),
            Refused(
                testDescription: "an address and a phone",
                json: ["email": "a@b.c", "phone": "+49301234", "password": "correct horse"], status: 400,
                code: "validation_failed"),
            Refused(
                testDescription: "a phone", json: ["phone": "+49301234", "password": "correct horse"], status: 400,
                code: "phone_provider_disabled"),
            Refused(
                testDescription: "a number for an address", json: ["email": 5, "password": "correct horse"],
                status: 400,
                code: "bad_json"),
            Refused(
                testDescription: "half of a proof key",
                json: ["email": "a@b.c", "password": "correct horse", "code_challenge_method": "s256"], status: 400,
                code: "validation_failed"),
            Refused(
                testDescription: "metadata that no token could carry",
                json: [
                    "email": "a@b.c", "password": "correct horse",
                    "data": ["x": .string(String(repeating: "x", count: 40_000))],
                ], status: 400, code: "validation_failed"),
        ])
    func refuses(_ example: Refused) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.post, "/auth/v1/signup", json: example.json)
            #expect(answer.status == example.status)
            #expect(answer.code == example.code)
            #expect(try await server.accounts.count() == 0)
        }
    }

    @Test("D10: Without auto-confirm a new, a pending and a taken address get responses of one shape")
    func decoy() async throws {
        try await TestServer.with(change: { $0.confirmsAutomatically = false }) { server in
            _ = try await server.admin(
                .post, "/users",
                json: ["email": "ada@example.com", "password": .string(TestServer.password), "email_confirm": true])
            func signUp(_ email: String, _ data: AuthJSON) async throws -> TestAnswer {
                try await server.send(
                    .post, "/auth/v1/signup",
                    json: ["email": .string(email), "password": "another password", "data": data])
            }
            let new = try await signUp("new@example.com", ["x": 1])
            let waiting = try await signUp("new@example.com", ["y": 2])
            let taken = try await signUp("ada@example.com", ["x": 1])
            #expect([new.status, waiting.status, taken.status] == [200, 200, 200])
            for answer in [waiting, taken] {
                #expect(answer.json.shape(besides: ["x", "y"]) == new.json.shape(besides: ["x", "y"]))
                #expect(Set(answer.headers.map(\.name)) == Set(new.headers.map(\.name)))
                #expect(answer["id"] != new["id"])
                #expect(answer["user_metadata"]?["sub"] == answer["id"])
                #expect(answer["identities"]?.arrayValue?.first?["user_id"] == answer["id"])
            }
            // A repeated sign-up sees its own input, and nothing of the first one.
            #expect(waiting["user_metadata"]?["y"] == 2 && waiting["user_metadata"]?["x"] == nil)
            #expect(taken["role"] == "authenticated")
            #expect(try await server.accounts.count() == 2)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("Without auto-confirm a new account is pending, and an administrator can confirm it")
    func waits() async throws {
        try await TestServer.with(change: { $0.confirmsAutomatically = false }) { server in
            let answer = try await server.send(
                .post, "/auth/v1/signup",
                json: ["email": "ada@example.com", "password": .string(TestServer.password)])
            let id = try #require(answer["id"]?.stringValue)
            #expect(answer["email_confirmed_at"] == nil)
            #expect(try await server.signIn().code == "email_not_confirmed")
            _ = try await server.admin(.put, "/users/\(id)", json: ["email_confirm": true])
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("With auto-confirm an address that still waits, from before it was switched on, is taken")
    func waitsFromBefore() async throws {
        try await TestServer.with { server in
            _ = try await server.admin(
                .post, "/users", json: ["email": "ada@example.com", "password": "somebody else's"])
            let answer = try await server.send(
                .post, "/auth/v1/signup",
                json: ["email": "ada@example.com", "password": .string(TestServer.password)])
            #expect(answer.status == 422 && answer.code == "user_already_exists")
            #expect(try await server.signIn(password: "somebody else's").code == "email_not_confirmed")
        }
    }

    @Test("A disabled sign-up is reported before anything else")
    func disabled() async throws {
        try await TestServer.with(change: { $0.allowsSignUp = false }) { server in
            let answer = try await server.send(.post, "/auth/v1/signup", json: ["email": "x", "password": "x"])
            #expect(answer.status == 422)
            #expect(answer.code == "signup_disabled")
        }
    }

    @Test("An anonymous account becomes a permanent one with an address and a password")
    func anonymous() async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.post, "/auth/v1/signup", json: [:])
            let session = try #require(TestSession(answer))
            #expect(answer["user"]?["is_anonymous"] == true)
            let alone = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": "correct horse battery"])
            #expect(alone.status == 422)
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken,
                json: ["email": "ada@example.com", "password": .string(TestServer.password)])
            #expect(changed.status == 200)
            #expect(changed["is_anonymous"] == false)
            #expect(changed["identities"]?.arrayValue?.count == 1)
            let signedIn = try #require(TestSession(try await server.signIn()))
            #expect(signedIn.userID == session.userID)
        }
    }
}

extension AuthJSON {
    /// Members and types, without the values.
    fileprivate func shape(besides left: Set<String>) -> String {
        if let members = objectValue {
            let shapes = members.filter { !left.contains($0.key) }.map { "\($0.key):\($0.value.shape(besides: left))" }
            return "{\(shapes.sorted().joined(separator: ","))}"
        }
        if let elements = arrayValue { return "[\(elements.map { $0.shape(besides: left) }.joined(separator: ","))]" }
        if let text = stringValue { return "text of \(text.utf8.count)" }
        return text
    }
}
