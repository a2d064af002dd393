import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import TestSupport
import Testing

extension TestServer {
    /// `identityToken`, `authorizationCode`, and `fullName` once.
    func appleCredential(_ person: String = "verified", email: String? = nil, nonce: String? = nil) async throws
        -> TestAnswer
    {
        var members: AuthJSONObject = ["person": .string(person)]
        members["nonce"] = nonce.map(AuthJSON.string)
        members["email"] = email.map(AuthJSON.string)
        return try await send(.post, "/dev/apple/native-credential", json: .object(members))
    }

    func googleCredential(_ person: String = "verified", email: String? = nil) async throws -> TestAnswer {
        var members: AuthJSONObject = [
            "person": .string(person), "server_client_id": .string(standIns?.registration.google.webClient ?? ""),
        ]
        members["email"] = email.map(AuthJSON.string)
        return try await send(.post, "/dev/google/native-credential", json: .object(members))
    }

    func idTokenGrant(
        _ provider: String, _ credential: TestAnswer, adding members: AuthJSONObject = [:], bearer: String? = nil
    ) async throws -> TestAnswer {
        var body: AuthJSONObject = [
            "provider": .string(provider),
            "id_token": credential["identityToken"] ?? credential["idToken"] ?? .null,
        ]
        if provider == "apple" { body["authorization_code"] = credential["authorizationCode"] }
        if provider == "google" { body["access_token"] = credential["accessToken"] }
        body.merge(members) { _, given in given }
        return try await send(.post, "/auth/v1/token?grant_type=id_token", bearer: bearer, json: .object(body))
    }
}

@Suite("POST /token?grant_type=id_token")
struct IDTokenGrantTests {
    /// SHA-256 of "12345" in hexadecimal.
    static let digest = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"

    @Test("E8, D2: Apple's credential creates the account, its profile and its name in one transaction")
    func apple() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let credential = try await server.appleCredential(nonce: Self.digest)
            let name: AuthJSON = ["name": ["firstName": "Ada", "lastName": "Lovelace"]]
            let answer = try await server.idTokenGrant(
                "apple", credential, adding: ["nonce": "12345", "user": name])
            let session = try #require(TestSession(answer), "\(answer)")
            #expect(answer["user"]?["user_metadata"]?["full_name"] == "Ada Lovelace")
            #expect(answer["provider_token"] == nil)
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?["first_name"] == "Ada")
            #expect(try await server.count("provider_tokens") == 1)
        }
    }

    @Test("Pitfall 6: A returning user keeps the name from the first sign-in")
    func nameOnce() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            func signIn(_ first: String) async throws -> TestAnswer {
                try await server.idTokenGrant(
                    "apple", try await server.appleCredential(),
                    adding: ["user": ["name": ["firstName": .string(first), "lastName": "L"]]])
            }
            _ = try await signIn("Ada")
            let again = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(again["user"]?["user_metadata"]?["full_name"] == "Ada L")
        }
    }

    @Test(
        "D4: An ID token with a nonce is valid once, and one minute longer for a lost response",
        arguments: TestDatabase.all)
    func singleUse(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let credential = try await server.appleCredential(nonce: Self.digest)
            func signIn(linking bearer: String? = nil) async throws -> TestAnswer {
                var members: AuthJSONObject = ["nonce": "12345", "authorization_code": .null]
                if bearer != nil { members["link_identity"] = true }
                return try await server.idTokenGrant("apple", credential, adding: members, bearer: bearer)
            }
            #expect(try await signIn().status == 200)
            server.clock.advance(by: .seconds(60))
            let retried = try #require(TestSession(try await signIn()))
            #expect(try await server.refresh(retried.refreshToken).status == 200)
            server.clock.advance(by: .microseconds(1))
            let ada = try await server.signUp()
            for answer in [try await signIn(), try await signIn(linking: ada.accessToken)] {
                #expect(answer.status == 400)
                #expect(answer["error"] == "invalid request")
            }
            #expect(try await server.count("used_id_tokens") == 1)
            // An expired token need not be remembered, even on the slowest node.
            server.clock.advance(by: .seconds(86_400 + 3_600))
            while try await server.auth.purgeExpired() > 0 {}
            #expect(try await server.count("used_id_tokens") == 0)
        }
    }

    @Test("D4: A token without a distinguishing claim is valid until it expires")
    func withoutNonce() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let credential = try await server.googleCredential()
            for _ in 0..<3 {
                #expect(try await server.idTokenGrant("google", credential).status == 200)
                server.clock.advance(by: .seconds(61))
            }
            #expect(try await server.count("used_id_tokens") == 0)
        }
    }

    @Test("D3: Google's token with its access token; an app's client id is accepted like the web client's")
    func google() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let answer = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(answer["user"]?["user_metadata"]?["email"] == "verified@example.com")
            let other = try await server.googleCredential("existing", email: "e@example.com")
            let mixed = try await server.idTokenGrant(
                "google", try await server.googleCredential(), adding: ["access_token": other["accessToken"] ?? .null])
            #expect(mixed["error"] == "invalid request")
        }
    }

    @Test("Pitfall 7: A nonce on only one side and a wrong nonce have separate errors")
    func nonces() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let with = try await server.appleCredential(nonce: Self.digest)
            #expect(try await server.idTokenGrant("apple", with).json["error"] == "invalid request")
            let wrong = try await server.idTokenGrant("apple", with, adding: ["nonce": "other"])
            #expect(wrong["error"] == "invalid nonce")
            #expect(wrong["error_description"]?.stringValue?.contains("hex SHA-256") == true)
            let without = try await server.appleCredential()
            #expect(
                try await server.idTokenGrant("apple", without, adding: ["nonce": "1"])["error"] == "invalid request")
            #expect(try await server.count("users") == 0)
        }
    }

    @Test("Google and Apple that are off are named by their issuer, as at Supabase Auth")
    func disabled() async throws {
        try await TestServer.with { server in
            for (name, text) in [
                ("google", #"(issuer "https://accounts.google.com")"#),
                ("apple", #"(issuer "https://appleid.apple.com")"#), ("kakao", "kakao"),
            ] {
                let answer = try await server.send(
                    .post, "/auth/v1/token?grant_type=id_token",
                    json: ["provider": .string(name), "id_token": "mock"])
                #expect(answer.status == 400 && answer.code == "provider_disabled")
                #expect(answer.json["message"]?.stringValue == "Provider \(text) is not enabled")
            }
        }
    }

    @Test(
        "Missing, unknown and disabled values have their codes",
        arguments: [
            (["provider": "google"], "invalid request"), (["id_token": "x.y.z"], "invalid request"),
            (["id_token": "x.y.z", "provider": "kakao"], "provider_disabled"),
            (["id_token": "x.y.z", "provider": "custom:x"], "validation_failed"),
            (["id_token": "x.y.z", "issuer": "https://evil.example", "client_id": "c"], "validation_failed"),
            (["id_token": "x.y.z", "provider": "apple"], "validation_failed"),
            (["id_token": "x.y.z", "provider": "google"], "invalid request"),
            (["id_token": "x.y.z", "provider": "google", "link_identity": true], "invalid request"),
            (["id_token": 1, "provider": "google"], "bad_json"),
        ] as [(AuthJSON, String)])
    func refusals(_ body: AuthJSON, _ code: String) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let answer = try await server.send(.post, "/auth/v1/token?grant_type=id_token", json: body)
            #expect(answer.status == 400)
            #expect(answer.code == code)
            #expect(try await server.count("users") == 0)
        }
    }

    @Test("Apple's code of another user is refused; a code that Apple rejects does not prevent the sign-in")
    func authorizationCodes() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let other = try await server.appleCredential("existing", email: "e@example.com")
            let swapped = try await server.idTokenGrant(
                "apple", try await server.appleCredential(),
                adding: ["authorization_code": other["authorizationCode"] ?? .null])
            #expect(swapped["error"] == "invalid request")
            #expect(try await server.count("users") == 0)
            let unknown = try await server.idTokenGrant(
                "apple", try await server.appleCredential(), adding: ["authorization_code": "nonsense"])
            #expect(unknown.status == 200)
            #expect(try await server.count("provider_tokens") == 0)
        }
    }

    @Test("Unreadable keys are a 503 of the provider, and 10,000 sign-ins read them once")
    func keys() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let credential = try await server.googleCredential()
            server.wire.fail(.timedOut)
            let refused = try await server.idTokenGrant("google", credential)
            #expect(refused.status == 503)
            #expect(refused.headers[.retryAfter] != nil)
            server.wire.fail(nil)
            server.clock.advance(by: .seconds(60))
            for _ in 0..<40 {
                #expect(try await server.idTokenGrant("google", credential).status == 200)
            }
            #expect(server.wire.called.filter { $0.hasSuffix("/oauth2/v3/certs") }.count == 1)
            #expect(try await server.count("users") == 1)
        }
    }

    @Test("link_identity adds to the bearer's account and opens a new session; a second call is refused")
    func linking() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp()
            let credential = try await server.googleCredential()
            let linked = try await server.idTokenGrant(
                "google", credential, adding: ["link_identity": true], bearer: ada.accessToken)
            let session = try #require(TestSession(linked), "\(linked)")
            #expect(session.userID == ada.userID)
            #expect(session.refreshToken != ada.refreshToken)
            let again = try await server.idTokenGrant(
                "google", credential, adding: ["link_identity": true], bearer: ada.accessToken)
            #expect(again.status == 422)
            #expect(again.code == "identity_already_exists")
            let bob = try await server.signUp("bob@example.com")
            let taken = try await server.idTokenGrant(
                "google", credential, adding: ["link_identity": true], bearer: bob.accessToken)
            #expect(taken.code == "identity_already_exists")
        }
    }

    @Test("An address that a link brings ends a change of address that waits", arguments: TestDatabase.all)
    func waitingChange(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        } _: { server in
            let guest = try #require(TestSession(try await server.post("/signup", [:])))
            let asked = try await server.send(
                .put, "/auth/v1/user", bearer: guest.accessToken, json: ["email": "new@example.com"])
            #expect(asked["new_email"] == "new@example.com", "\(asked)")
            let code = try await server.deliveredMail().code
            let linked = try await server.idTokenGrant(
                "google", try await server.googleCredential(), adding: ["link_identity": true],
                bearer: guest.accessToken)
            let user = try #require(linked["user"], "\(linked)")
            #expect(user["email"] == "verified@example.com" && user["new_email"] == nil, "\(user)")
            // It would wait for a second code, which was never sent.
            let verified = try await server.verify("email_change", code: code, email: "new@example.com")
            #expect(verified.code == "otp_expired", "\(verified)")
        }
    }
}
