import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing

/// A WebAuthn key as a second factor.
@Suite("Security keys")
struct SecurityKeyTests {
    private static var rules: FactorRules {
        var rules = FactorRules()
        rules.enrolling = [.totp, .webAuthn]
        rules.verifying = [.totp, .webAuthn]
        return rules
    }

    private struct Key {
        let server: TestServer
        var device = SoftAuthenticator()
        var factor = ""

        init(_ server: TestServer) { self.server = server }

        func post(_ path: String, bearer: String, _ json: AuthJSON? = nil) async throws -> TestAnswer {
            try await server.send(.post, "/auth/v1/factors\(path)", bearer: bearer, json: json)
        }

        mutating func enroll(_ bearer: String, name: String = "key") async throws {
            let made = try await post("", bearer: bearer, ["factor_type": "webauthn", "friendly_name": .string(name)])
            factor = try #require(made["id"]?.stringValue)
        }

        func challenge(_ bearer: String) async throws -> TestAnswer {
            try await post("/\(factor)/challenge", bearer: bearer)
        }

        mutating func answer(
            _ asked: TestAnswer, hasType: Bool = true, _ changes: SoftChanges = SoftChanges()
        ) throws -> AuthJSON {
            let webauthn = try #require(asked["webauthn"])
            let options = try #require(webauthn["credential_options"]?["publicKey"])
            let type = webauthn["type"]?.stringValue ?? ""
            let credential =
                type == "create"
                ? try device.create(options, origin: PasskeyClient.origin, changes)
                : try device.get(options, origin: PasskeyClient.origin, changes)
            var members: AuthJSONObject = ["credential_response": credential]
            if hasType { members["type"] = .string(type) }
            return ["challenge_id": asked["id"] ?? .null, "webauthn": .object(members)]
        }

        mutating func verify(
            _ bearer: String, hasType: Bool = true, _ changes: SoftChanges = SoftChanges()
        ) async throws -> TestAnswer {
            let asked = try await challenge(bearer)
            return try await post("/\(factor)/verify", bearer: bearer, answer(asked, hasType: hasType, changes))
        }
    }

    private func serving(
        on kind: TestDatabase = .usual, policy: SessionPolicy = SessionPolicy(),
        _ test: (TestServer, TestSession) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, policy: policy, factors: Self.rules, change: PasskeyClient.settings()) {
            server in
            try await test(server, try await server.signUp())
        }
    }

    @Test("A key raises the session that adds it, and later ones", arguments: TestDatabase.all)
    func whole(_ kind: TestDatabase) async throws {
        try await serving(on: kind) { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let raised = try await key.verify(ada.accessToken)
            #expect(raised.status == 200 && PasskeyClient.level(raised) == "aal2")
            #expect(raised["user"]?["factors"]?.arrayValue?.first?["status"] == "verified")
            let again = try #require(TestSession(try await server.signIn()))
            #expect(try await PasskeyClient.level(key.verify(again.accessToken)) == "aal2")
        }
    }

    @Test("The same answer works until the hook for access tokens agrees", arguments: TestDatabase.all)
    func hook(_ kind: TestDatabase) async throws {
        try await TestServer.asking(on: kind, factors: Self.rules, change: PasskeyClient.settings()) { server in
            let ada = try await server.signUp()
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let (path, answer) = ("/\(key.factor)/verify", try key.answer(try await key.challenge(ada.accessToken)))
            try await server.surviving { [key] in try await key.post(path, bearer: ada.accessToken, answer) }
            #expect(try await key.post(path, bearer: ada.accessToken, answer).status == 422)
        }
    }

    @Test("A client that sends no body and no type works, too, and finds the options where it looks")
    func lenient() async throws {
        try await serving { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let asked = try await key.challenge(ada.accessToken)
            let options = try #require(asked["webauthn"]?["credential_options"])
            #expect(options["rp"]?["id"] == "example.org" && options["challenge"] == options["publicKey"]?["challenge"])
            let answer = try key.answer(asked, hasType: false)
            #expect(try await key.post("/\(key.factor)/verify", bearer: ada.accessToken, answer).status == 200)
            let again = try #require(TestSession(try await server.signIn()))
            let request = try await key.challenge(again.accessToken)
            #expect(request["webauthn"]?["credential_options"]?["rpId"] == "example.org")
            #expect(try await key.verify(again.accessToken, hasType: false).status == 200)
        }
    }

    @Test("A wrong answer gets 422, changes nothing, and leaves the challenge for the right one")
    func wrong() async throws {
        try await serving { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            #expect(try await key.verify(ada.accessToken).status == 200)
            let session = try #require(TestSession(try await server.signIn()))
            let asked = try await key.challenge(session.accessToken)
            var changes = SoftChanges()
            changes.hasWrongSignature = true
            let path = "/\(key.factor)/verify"
            let refused = try await key.post(path, bearer: session.accessToken, key.answer(asked, changes))
            #expect(refused.status == 422 && refused.code == "mfa_verification_failed")
            let right = try key.answer(asked)
            #expect(try await key.post(path, bearer: session.accessToken, right).status == 200)
            let used = try await key.post(path, bearer: session.accessToken, right)
            #expect(used.status == 422 && used.code == "mfa_factor_not_found")
        }
    }

    @Test("A thief with the password gives no key to a factor that waits for one", arguments: TestDatabase.all)
    func waiting(_ kind: TestDatabase) async throws {
        try await serving(on: kind) { server, ada in
            // From before there was a second factor: prepared by a thief, or left by the owner.
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let early = try await key.challenge(ada.accessToken)
            let app = try await server.enroll(ada)
            let raised = try await server.raised(ada, by: app)
            let thief = try await server.low()
            let asked = try await key.challenge(thief.accessToken)
            #expect(asked.status == 403 && asked.code == "insufficient_aal", "\(asked)")
            let answer = try key.answer(early)
            let path = "/\(key.factor)/verify"
            let refused = try await key.post(path, bearer: thief.accessToken, answer)
            #expect(refused.status == 403 && refused.code == "insufficient_aal", "\(refused)")
            #expect(try await key.post(path, bearer: raised.accessToken, answer).status == 200)
        }
    }

    @Test("A stale token gives no key to a factor that its owner began to add", arguments: TestDatabase.all)
    func stale(_ kind: TestDatabase) async throws {
        try await serving(on: kind, policy: SessionPolicy(freshSignIn: .seconds(60))) { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let early = try await key.challenge(ada.accessToken)
            server.clock.advance(by: .seconds(60))
            let asked = try await key.challenge(ada.accessToken)
            #expect(asked.status == 403 && asked.code == "fresh_sign_in_required", "\(asked)")
            let path = "/\(key.factor)/verify"
            let answer = try key.answer(early)
            let refused = try await key.post(path, bearer: ada.accessToken, answer)
            #expect(refused.status == 403 && refused.code == "fresh_sign_in_required", "\(refused)")
            let fresh = try await server.low()
            let raised = try #require(TestSession(try await key.verify(fresh.accessToken)))
            // A verified factor is a proof itself.
            let low = try await server.low()
            server.clock.advance(by: .seconds(60))
            #expect(try await key.verify(low.accessToken).status == 200)
            #expect(try await key.verify(raised.accessToken).status == 200)
        }
    }

    @Test("A challenge is good for the state that the factor was in")
    func states() async throws {
        try await serving { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let early = try await key.challenge(ada.accessToken)
            let raised = try #require(TestSession(try await key.verify(ada.accessToken)))
            // A second key for the same factor, with the previous challenge.
            var other = key
            other.device = SoftAuthenticator()
            let second = try await key.post("/\(key.factor)/verify", bearer: raised.accessToken, other.answer(early))
            #expect(second.status == 422 && second.code == "mfa_verification_failed")
            var next = Key(server)
            try await next.enroll(raised.accessToken, name: "next")
            let asked = try await next.challenge(raised.accessToken)
            let challenge = try #require(asked["webauthn"]?["credential_options"]?["publicKey"]?["challenge"])
            let credential = try key.device.get(
                ["challenge": challenge, "rpId": "example.org"], origin: PasskeyClient.origin)
            let answer: AuthJSON = [
                "challenge_id": asked["id"] ?? .null,
                "webauthn": ["type": "request", "credential_response": credential],
            ]
            let refused = try await next.post("/\(next.factor)/verify", bearer: raised.accessToken, answer)
            #expect(refused.status == 422 && refused.code == "mfa_verification_failed")
        }
    }

    @Test("Either of two keys answers, and a copied one is refused")
    func twoKeys() async throws {
        try await serving { server, ada in
            var one = Key(server)
            one.device.counts = true
            try await one.enroll(ada.accessToken, name: "one")
            let raised = try #require(TestSession(try await one.verify(ada.accessToken)))
            var two = Key(server)
            try await two.enroll(raised.accessToken, name: "two")
            #expect(try await two.verify(raised.accessToken).status == 200)
            let session = try #require(TestSession(try await server.signIn()))
            var mixed = one
            mixed.factor = two.factor
            #expect(try await mixed.verify(session.accessToken).status == 200)
            let later = try #require(TestSession(try await server.signIn()))
            let copied = try await one.verify(later.accessToken)
            #expect(copied.status == 422 && copied.code == "mfa_verification_failed")
        }
    }

    @Test("A key of a factor signs nobody in, and a passkey answers no factor")
    func apart() async throws {
        try await serving { server, ada in
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let raised = try #require(TestSession(try await key.verify(ada.accessToken)))
            var client = PasskeyClient(server)
            client.device = key.device
            #expect(try await client.signIn().code == "webauthn_verification_failed")
            client.device = SoftAuthenticator()
            #expect(try await client.register(raised).status == 200)
            let session = try #require(TestSession(try await server.signIn()))
            let asked = try await key.challenge(session.accessToken)
            let challenge = try #require(asked["webauthn"]?["credential_options"]?["publicKey"]?["challenge"])
            let credential = try client.device.get(
                ["challenge": challenge, "rpId": "example.org"], origin: PasskeyClient.origin)
            let answer: AuthJSON = [
                "challenge_id": asked["id"] ?? .null, "webauthn": ["credential_response": credential],
            ]
            let refused = try await key.post("/\(key.factor)/verify", bearer: session.accessToken, answer)
            #expect(refused.code == "mfa_verification_failed")
        }
    }

    @Test("With a second factor, passkeys are registered and removed at aal2 alone")
    func levels() async throws {
        try await serving { server, ada in
            var client = PasskeyClient(server)
            let made = try await client.register(ada)
            var key = Key(server)
            try await key.enroll(ada.accessToken)
            let raised = try #require(TestSession(try await key.verify(ada.accessToken)))
            let low = try #require(TestSession(try await server.signIn()))
            let options = try await client.post("/registration/options", bearer: low.accessToken)
            #expect(options.status == 403 && options.code == "insufficient_aal")
            let path = "/auth/v1/passkeys/\(made["id"]?.stringValue ?? "")"
            #expect(try await server.send(.delete, path, bearer: low.accessToken).code == "insufficient_aal")
            #expect(try await server.send(.delete, path, bearer: raised.accessToken).status == 204)
        }
    }
}
