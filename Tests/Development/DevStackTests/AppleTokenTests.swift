import Crypto
import DevStack
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import Testing

@Suite("Apple's token endpoint")
struct AppleTokenTests {
    @Test("A code is exchanged for tokens, and the ID token names the user", arguments: Known.all)
    func exchange(_ known: Known) async throws {
        let router = try DevRouter()
        let answer = try await router.appleToken(code: router.appleCode(known.person))
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.json["token_type"] == "Bearer")
        #expect(answer.json["expires_in"] == 3_600)
        #expect(answer["refresh_token"]?.isEmpty == false)
        let claims = try await router.claims(of: answer["id_token"], DevRouter.appleKeys)
        #expect(claims["iss"] == .string(router.apple.issuer))
        #expect(claims["aud"] == .string(router.apple.webClient))
        #expect(claims["nonce"] == "nonce-1")
        #expect(claims["nonce_supported"] == true)
        #expect(claims["at_hash"] == .string(halfHash(answer["access_token"] ?? "")))
        #expect(claims["iat"]?.intValue == router.now.seconds)
        #expect(claims["exp"]?.intValue == router.now.seconds + 86_400)
        #expect(claims["sub"]?.stringValue?.contains(/^\d{6}\.[0-9a-f]{32}\.\d{4}$/) == true)
        #expect(claims["email"] == known.email.map(AuthJSON.string))
        #expect(claims["email_verified"] == (known.email == nil ? nil : .bool(known.isVerified)))
        #expect(claims["is_private_email"] == (known.isRelay ? true : nil))
        #expect(claims["name"] == nil, "Apple's tokens never have the name")
    }

    @Test("Without the scope there is no address in the ID token")
    func scopeless() async throws {
        let router = try DevRouter()
        let code = try await router.chooseAtApple("verified", ["scope": "name"]).hiddenFields["code"] ?? ""
        let claims = try await router.claims(of: router.appleToken(code: code)["id_token"], DevRouter.appleKeys)
        #expect(claims["email"] == nil)
        #expect(claims["email_verified"] == nil)
    }

    @Test("Without a nonce in the request the token has none")
    func nonceless() async throws {
        let router = try DevRouter()
        let code = try await router.chooseAtApple("verified", ["nonce": nil]).hiddenFields["code"] ?? ""
        #expect(
            try await router.claims(of: router.appleToken(code: code)["id_token"], DevRouter.appleKeys)["nonce"] == nil)
    }

    @Test("The person who mixes up nonces gets a token with another one (D4)")
    func wrongNonce() async throws {
        let router = try DevRouter()
        let answer = try await router.appleToken(code: router.appleCode("wrong-nonce"))
        let claims = try await router.claims(of: answer["id_token"], DevRouter.appleKeys)
        #expect(claims["nonce"]?.stringValue?.isEmpty == false)
        #expect(claims["nonce"] != "nonce-1")
    }

    @Test("The person with the provider error gets 503, and the slow one delays every response")
    func troubles() async throws {
        let router = try DevRouter { $0.slowness = .seconds(7) }
        let code = try await router.appleCode("provider-error")
        let failed = try await router.appleToken(code: code)
        #expect(failed.status == 503)
        #expect(failed.error == "server_error")
        #expect(try await router.appleToken(code: code).status == 503, "the code was not used up")
        #expect(router.waits.all == [])
        #expect(try await router.appleToken(code: router.appleCode("slow")).status == 200)
        #expect(router.waits.all == [.seconds(7)])
    }

    @Test(
        "A client secret that Apple would refuse is refused (D2)",
        arguments: [
            ("iss", "WRONGTEAM1", "iss"), ("iss", .null, "iss"), ("sub", "com.example.app", "sub"),
            ("sub", .null, "sub"), ("aud", "https://account.apple.com", "aud"), ("aud", .null, "aud"),
            ("aud", ["https://appleid.apple.com", "https://other.example"], "aud"),
            ("iat", .null, "iat"), ("iat", .integer(TestTimes.start + 61), "iat"), ("exp", .null, "exp"),
            ("exp", .integer(TestTimes.start), "exp"), ("exp", .integer(TestTimes.start + 15_777_001), "exp"),
            ("exp", "soon", "exp"), ("nbf", .integer(TestTimes.start + 60), "nbf"),
        ] as [(String, AuthJSON, String)])
    func secretClaims(_ claim: String, _ value: AuthJSON, _ named: String) async throws {
        let router = try DevRouter()
        let code = try await router.appleCode()
        let answer = try await router.appleToken(
            code: code, ["client_secret": try router.appleSecret([claim: value])])
        #expect(answer.status == 400)
        #expect(answer.error == "invalid_client")
        #expect(answer["error_description"]?.contains(named) == true, "\(answer)")
        #expect(try await router.appleToken(code: code).status == 200, "the code was not used up")
    }

    @Test("A client secret may be valid for six months, to the second")
    func longestSecret() async throws {
        let router = try DevRouter()
        let secret = try router.appleSecret(["exp": .integer(TestTimes.start + 15_777_000)])
        #expect(try await router.appleToken(code: router.appleCode(), ["client_secret": secret]).status == 200)
    }

    @Test("A client secret signed with another key is refused")
    func secretSignatures() async throws {
        let router = try DevRouter()
        let claims = try router.appleSecret().split(separator: ".")[1]
        let shared = try TokenSigner(
            JSONWebKey(hs256: Secret(String(repeating: "k", count: 32)), id: router.apple.keyID))
        let secrets = [
            try router.appleSecret(key: P256.Signing.PrivateKey()), try router.appleSecret(keyID: "OTHERKEY12"),
            try shared.sign(payload: Base64URL.decode(String(claims)) ?? []),
            Base64URL.text(Array(#"{"alg":"none"}"#.utf8)) + ".\(claims).", "not a token", "a.b.c",
        ]
        for secret in secrets {
            let answer = try await router.appleToken(code: router.appleCode(), ["client_secret": secret])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_client", "\(answer)")
        }
    }

    @Test(
        "A token request that Apple refuses",
        arguments: [
            ("client_id", nil, "invalid_client"), ("client_secret", nil, "invalid_client"),
            ("client_id", "com.example.other", "invalid_client"),
            ("grant_type", nil, "invalid_request"), ("grant_type", "password", "unsupported_grant_type"),
            ("code", nil, "invalid_request"), ("code", "code-made-up", "invalid_grant"),
            ("redirect_uri", nil, "invalid_grant"), ("redirect_uri", DevRouter.callback + "/", "invalid_grant"),
        ] as [(String, String?, String)])
    func refuses(_ name: String, _ value: String?, _ error: String) async throws {
        let router = try DevRouter()
        let answer = try await router.appleToken(code: router.appleCode(), [name: value])
        #expect(answer.status == 400)
        #expect(answer.error == error, "\(answer)")
        #expect(answer["error_description"]?.isEmpty == false)
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.headers[HTTPField.Name("pragma")!] == "no-cache")
    }

    @Test("A code works once")
    func once() async throws {
        let router = try DevRouter()
        let code = try await router.appleCode()
        #expect(try await router.appleToken(code: code).status == 200)
        let again = try await router.appleToken(code: code)
        #expect(again.error == "invalid_grant")
        #expect(again["error_description"] == "The code was used before.")
    }

    @Test("A code works for five minutes")
    func expiry() async throws {
        let router = try DevRouter()
        let (early, late) = (try await router.appleCode(), try await router.appleCode())
        router.advance(by: .seconds(299))
        #expect(try await router.appleToken(code: early).status == 200)
        router.advance(by: .seconds(1))
        #expect(try await router.appleToken(code: late).error == "invalid_grant")
    }

    @Test("A code belongs to its client")
    func otherClient() async throws {
        let router = try DevRouter()
        let code = try await router.appleCode()
        let answer = try await router.appleToken(code: code, client: router.apple.apps[0])
        #expect(answer.error == "invalid_grant")
        #expect(answer["error_description"]?.contains("client_id") == true, "\(answer)")
        #expect(try await router.appleToken(code: code).status == 200)
    }

    @Test("A refresh token gives access and ID tokens, and no new refresh token")
    func refresh() async throws {
        let router = try DevRouter()
        let first = try await router.appleToken(code: router.appleCode())
        router.advance(by: .seconds(90 * 86_400))
        let answer = try await router.appleRefresh(first["refresh_token"])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer["refresh_token"] == nil)
        #expect(answer["access_token"] != first["access_token"])
        let claims = try await router.claims(of: answer["id_token"], DevRouter.appleKeys)
        #expect(claims["nonce"] == nil)
        #expect(claims["email"] == "verified@example.com")
        #expect(try await router.appleRefresh(first["access_token"]).error == "invalid_grant")
        #expect(try await router.appleRefresh("made up").error == "invalid_grant")
        #expect(try await router.appleRefresh(nil).error == "invalid_request")
        let other = try await router.appleToken(
            code: "", client: router.apple.apps[0],
            ["grant_type": "refresh_token", "refresh_token": first["refresh_token"]])
        #expect(other.error == "invalid_grant")
    }

    @Test("A body that is not a form, and a duplicate field, are refused")
    func bodies() async throws {
        let router = try DevRouter()
        let json = try await router.send(
            .post, "/dev/apple/auth/token", headers: [.contentType: "application/json"], body: "{}")
        #expect(json.status == 400)
        #expect(json.error == "invalid_request")
        let twice = try await router.send(
            .post, "/dev/apple/auth/token", headers: [.contentType: "application/x-www-form-urlencoded; charset=utf-8"],
            body: "grant_type=a&grant_type=b")
        #expect(twice.error == "invalid_request")
        #expect(twice["error_description"] == "grant_type is there twice.")
        #expect(try await router.get("/dev/apple/auth/token").status == 405)
    }
}

enum TestTimes {
    /// ``TestClock``'s start, in seconds since 1970.
    static let start: Int64 = 1_767_225_600
}
