import Crypto
import GatehouseWire
import IdentityProviders
import Testing

@Suite("Codes, profiles and revocation (D2, D3, E7)")
struct TokenExchangeTests {
    private let secrets = AuthorizationSecrets { [UInt8](repeating: 9, count: $0) }

    private func exchange(
        _ provider: OpenIDProvider, redirectURL: String? = "https://a.example/cb", client: String? = nil
    ) async throws -> ProviderTokens {
        try await provider.exchange(
            code: Secret("code/1"), verifier: secrets.verifier, redirectURL: redirectURL, client: client, at: noon)
    }

    @Test("A code is exchanged with secret and verifier in a form, and the ID token is verified")
    func good() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let hash = Base64URL.text(Array(SHA256.hash(data: Array("at".utf8)).prefix(16)))
        let idToken = try acme.token(["aud": "web", "nonce": .string(secrets.nonce), "at_hash": .string(hash)])
        acme.answer(
            "/token",
            [
                "id_token": .string(idToken.reveal()), "access_token": "at", "refresh_token": "rt", "expires_in": "60",
                "token_type": "Bearer",
            ])
        let provider = try acme.acme()
        let tokens = try await exchange(provider)
        #expect(
            acme.lastForm == [
                "grant_type": "authorization_code", "code": "code%2F1", "redirect_uri": "https%3A%2F%2Fa.example%2Fcb",
                "code_verifier": secrets.verifier.reveal(), "client_id": "web", "client_secret": "s3cret%2F%2B",
            ])
        let request = try #require(acme.requests.last)
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect((request.method, request.maximumBytes, request.timeLimit) == (.post, 65_536, .seconds(10)))
        #expect(request.authorization == nil)
        #expect((tokens.accessToken?.reveal(), tokens.refreshToken?.reveal(), tokens.client) == ("at", "rt", "web"))
        let ada = try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon)
        #expect((ada.subject, ada.client) == ("ada-1", "web"))
        #expect(
            await failure { try await provider.identity(of: tokens, nonce: "other", at: noon) }
                == .rejected(.nonceMismatch(seen: .base64URLDigest)))
        for text in ["\(request)", "\(tokens)", "\(provider.settings)"] {
            #expect(!text.contains("s3cret") && !text.contains(idToken.reveal()) && !text.contains("code%2F1"))
        }
    }

    @Test("An ID token from the exchange is for the requesting client, and matches its access token")
    func mixedUp() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        for (claims, expected) in [
            (["aud": "app"] as AuthJSONObject, IdentityRejection.wrongAudience(found: ["app"], accepted: ["web"])),
            (["aud": "web", "at_hash": "x"], .accessTokenMismatch), (["aud": "web", "nonce": .null], .nonceOnOneSide),
        ] as [(AuthJSONObject, IdentityRejection)] {
            let usual: AuthJSONObject = ["nonce": .string(secrets.nonce)]
            let all = usual.merging(claims) { $1 }
            acme.answer("/token", ["id_token": .string(try acme.token(all).reveal()), "access_token": "at"])
            let tokens = try await exchange(provider)
            #expect(
                await failure { try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon) }
                    == .rejected(expected))
        }
        acme.answer("/token", ["access_token": "at"])
        let tokens = try await exchange(provider)
        #expect(
            await failure { try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon) }
                == .rejected(.missingIDToken))
    }

    @Test("Without an announced method the secret goes into Authorization (RFC 6749 §2.3.1)")
    func basic() async throws {
        let changes: AuthJSONObject = ["token_endpoint_auth_methods_supported": .null]
        let acme = try ScriptedProvider(key: TestKeys.es256(), changes: changes)
        acme.answer("/token", ["access_token": "at"])
        _ = try await exchange(acme.acme())
        // web:s3cret%2F%2B
        #expect(acme.requests.last?.authorization?.reveal() == "Basic d2ViOnMzY3JldCUyRiUyQg==")
        #expect(acme.lastForm["client_secret"] == nil)
        #expect(acme.lastForm["client_id"] == nil)
    }

    @Test("A public client has only its verifier; without a credential, or for another client, there is none")
    func credentials() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        acme.answer("/token", ["access_token": "at"])
        let open = try acme.provider(
            .openID(name: "acme", issuer: acme.issuer, clientIDs: ["web"], credential: .pkceOnly))
        _ = try await exchange(open)
        #expect(acme.lastForm["client_id"] == "web")
        #expect(acme.lastForm["client_secret"] == nil)
        let none = try acme.provider(.openID(name: "acme", issuer: acme.issuer, clientIDs: ["web"], credential: .none))
        #expect(await failure { try await exchange(none) } == .notOffered(.tokens))
        #expect(await failure { try await exchange(open, client: "evil") } == .notOffered(.tokens))
    }

    @Test(
        "A refusal keeps the provider's text, shortened and cleaned; any other failure is unavailability",
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, .refused(.tokens, error: "invalid_grant", description: nil)),
            (
                401, #"{"error":"invalid_client","error_description":"no\u0007 such\nclient"}"#,
                .refused(.tokens, error: "invalid_client", description: "no suchclient")
            ),
            (200, #"{"error":"bad_code"}"#, .refused(.tokens, error: "bad_code", description: nil)),
            (400, #"{"error":"temporarily_unavailable"}"#, .unavailable(.tokens, .status(400))),
            (400, #"{"error":{"code":1}}"#, .unavailable(.tokens, .status(400))),
            (400, "no", .unavailable(.tokens, .status(400))), (404, "", .unavailable(.tokens, .status(404))),
            (500, #"{"error":"invalid_grant"}"#, .unavailable(.tokens, .status(500))),
            (429, "{}", .unavailable(.tokens, .status(429))), (302, "", .unavailable(.tokens, .status(302))),
            (200, "<html>", .unavailable(.tokens, .unreadable)), (200, "[]", .unavailable(.tokens, .unreadable)),
            (200, "access_token=at", .unavailable(.tokens, .unreadable)),
            (200, "{}", .unavailable(.tokens, .missing("access_token"))),
            (200, #"{"access_token":""}"#, .unavailable(.tokens, .missing("access_token"))),
            (200, #"{"access_token":1}"#, .unavailable(.tokens, .malformed("access_token"))),
        ] as [(Int, String, ProviderFailure)])
    func refusals(_ status: Int, _ body: String, _ expected: ProviderFailure) async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        acme.answer("/token", status: status, body: Array(body.utf8))
        #expect(await failure { try await exchange(acme.acme()) } == expected)
    }

    @Test("Long and late responses are refused as such; long texts are shortened")
    func limits() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        acme.answer("/token", body: [UInt8](repeating: UInt8(ascii: " "), count: 65_537))
        #expect(await failure { try await exchange(acme.acme()) } == .unavailable(.tokens, .noAnswer(.tooLong)))
        for trouble in [ProviderTransportFailure.timedOut, .tooLong, .addressRefused(.notPublic(host: "x"))] {
            acme.fail("/token", trouble)
            #expect(await failure { try await exchange(acme.acme()) } == .unavailable(.tokens, .noAnswer(trouble)))
        }
        acme.fail("/token", nil)
        let long = AuthJSON.string(String(repeating: "x", count: 1_000))
        acme.answer("/token", status: 400, ["error": long, "error_description": long])
        let cut = { (count: Int) in String(repeating: "x", count: count) }
        #expect(
            await failure { try await exchange(acme.acme()) }
                == .refused(.tokens, error: cut(64), description: cut(200)))
    }

    @Test("Wrong credentials are the operator's fault, a wrong code is not")
    func whose() {
        #expect(ProviderFailure.refused(.tokens, error: "invalid_client", description: nil).isOurConfiguration)
        #expect(!ProviderFailure.refused(.tokens, error: "invalid_grant", description: nil).isOurConfiguration)
        #expect(!ProviderFailure.refused(.tokens, error: "invalid_grant", description: nil).isWorthRetrying)
    }

    @Test("Without a requested ID token the profile identifies the user, as in the recordings")
    func profileOnly() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme { $0.scopes = ["profile", "email"] }
        acme.answer("/token", ["access_token": "at"])
        acme.answer(
            "/userinfo",
            [
                "sub": "ada-1", "email": "ada@example.org", "email_verified": true, "name": "Ana Example",
                "preferred_username": "ana",
            ])
        let tokens = try await exchange(provider)
        let ana = try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon)
        #expect(acme.requests.last?.authorization?.reveal() == "Bearer at")
        #expect(
            ana.data == [
                "custom_claims": ["preferred_username": "ana"], "email": "ada@example.org", "email_verified": true,
                "full_name": "Ana Example", "iss": "https://id.example.org", "name": "Ana Example",
                "phone_verified": false, "provider_id": "ada-1", "sub": "ada-1",
            ])
        #expect(ana.client == nil)
        acme.answer("/userinfo", ["name": "Nobody"])
        #expect(
            await failure { try await provider.identity(of: tokens, nonce: nil, at: noon) }
                == .rejected(.missingSubject))
        acme.answer("/userinfo", status: 401, ["error": "invalid_token"])
        #expect(
            await failure { try await provider.identity(of: tokens, nonce: nil, at: noon) }
                == .refused(.userInfo, error: "invalid_token", description: nil))
    }

    @Test("The profile fills in an address that the ID token lacks, with its own verification, for the same subject")
    func fallback() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        let claims: AuthJSONObject = [
            "aud": "web", "nonce": .string(secrets.nonce), "email": .null, "email_verified": true, "name": "Signed",
        ]
        acme.answer("/token", ["id_token": .string(try acme.token(claims).reveal()), "access_token": "at"])
        acme.answer("/userinfo", ["sub": "ada-1", "email": "ada@example.org", "name": "Other", "locale": "de"])
        let tokens = try await exchange(provider)
        let ada = try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon)
        #expect(ada.email == "ada@example.org")
        #expect(!ada.isEmailVerified)
        #expect((ada.name, ada.data["locale"], ada.data["email_verified"]) == ("Signed", "de", false))
        acme.answer("/userinfo", ["sub": "eve", "email": "eve@example.org", "email_verified": true])
        #expect(
            await failure { try await provider.identity(of: tokens, nonce: secrets.nonce, at: noon) }
                == .rejected(.foreignProfile))
    }

    @Test(
        "A revoked token is gone; an unknown one counts as gone (RFC 7009 §2.2)",
        arguments: [
            (200, "", .revoked, nil), (204, "", .revoked, nil), (200, "{}", .revoked, nil),
            (400, #"{"error":"invalid_token"}"#, .wasInvalid, nil),
            (400, #"{"error":"invalid_grant"}"#, .wasInvalid, nil),
            (
                400, #"{"error":"invalid_client"}"#, nil,
                .refused(.revocation, error: "invalid_client", description: nil)
            ),
            (503, "", nil, .unavailable(.revocation, .status(503))),
            (400, "", nil, .unavailable(.revocation, .status(400))),
        ] as [(Int, String, RevocationOutcome?, ProviderFailure?)])
    func revocation(
        _ status: Int, _ body: String, _ outcome: RevocationOutcome?, _ expected: ProviderFailure?
    ) async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        acme.answer("/revoke", status: status, body: Array(body.utf8))
        let provider = try acme.acme()
        var found: RevocationOutcome?
        let refused = await failure {
            found = try await provider.revoke(Secret("rt"), client: "app", at: noon)
            return true
        }
        #expect((found, refused) == (outcome, expected))
        #expect(
            acme.lastForm == [
                "token": "rt", "token_type_hint": "refresh_token", "client_id": "app", "client_secret": "s3cret%2F%2B",
            ])
    }
}
