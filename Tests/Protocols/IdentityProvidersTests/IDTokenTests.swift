import Crypto
import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Testing

@Suite("ID tokens (D4)")
struct IDTokenTests {
    private func rejection(
        _ changes: AuthJSONObject = [:], without name: String = "", nonce: String? = nil, access: String? = nil
    ) async throws -> IdentityRejection? {
        let acme = try ScriptedProvider(key: TestKeys.rsa())
        let token = try acme.token(changes, without: name)
        let failure = await failure {
            try await acme.acme().native(token, accessToken: access.map(Secret.init), nonce: nonce)
        }
        guard let failure else { return nil }
        guard case .rejected(let rejection) = failure else {
            Issue.record("\(failure)")
            return nil
        }
        return rejection
    }

    @Test(
        "A valid token by every asymmetric algorithm gives an identity",
        arguments: SigningAlgorithm.allCases.filter { !$0.isSymmetric })
    func good(_ algorithm: SigningAlgorithm) async throws {
        let key = try TestKeys.key(algorithm)
        let announced: AuthJSONObject = ["id_token_signing_alg_values_supported": [.string(algorithm.rawValue)]]
        let acme = try ScriptedProvider(key: key, changes: announced)
        #expect(try await acme.acme().usableAlgorithms() == [algorithm])
        let ada = try await acme.acme().native(acme.token())
        #expect(ada.provider == "custom:acme")
        #expect(ada.subject == "ada-1")
        #expect(ada.issuer == acme.issuer)
        #expect(ada.client == "app")
        #expect(ada.email == "ada@example.org")
        #expect(ada.isEmailVerified)
        #expect(!ada.isPrivateRelay)
    }

    @Test("Another issuer's token is refused before the keys are read")
    func issuer() async throws {
        let acme = try ScriptedProvider(key: TestKeys.rsa())
        for issuer in ["https://evil.example", "https://id.example.org.evil.example", "HTTPS://id.example.org", ""] {
            let token = try acme.token(["iss": .string(issuer)])
            #expect(await failure { try await acme.acme().native(token) } == .rejected(.foreignIssuer))
        }
        let nameless = try acme.token(without: "iss")
        #expect(await failure { try await acme.acme().native(nameless) } == .rejected(.unreadable))
        #expect(acme.requests.isEmpty)
    }

    @Test("The issuer is compared to the last slash, as in the provider's own document", arguments: [true, false])
    func slash(_ isInDocument: Bool) async throws {
        let (plain, slashed) = ("https://id.example.org", "https://id.example.org/")
        let acme = try ScriptedProvider(issuer: isInDocument ? slashed : plain, key: TestKeys.rsa())
        for configured in [plain, slashed] {
            let provider = try acme.provider(
                .openID(name: "acme", issuer: configured, clientIDs: ["app"], credential: .none))
            #expect(try await provider.native(acme.token()).issuer == acme.issuer)
            let other = try acme.token(["iss": .string(isInDocument ? plain : slashed)])
            #expect(await failure { try await provider.native(other) } == .rejected(.foreignIssuer))
        }
        #expect(acme.count("https://id.example.org/.well-known/openid-configuration") == 2)
    }

    @Test("A foreign audience is refused, and the refusal names both lists (pitfall 17)")
    func audience() async throws {
        let other = IdentityRejection.wrongAudience(found: ["other"], accepted: ["web", "app"])
        #expect(try await rejection(["aud": "other"]) == other)
        #expect(other.error == "invalid request")
        #expect(other.summary == "Unacceptable audience in id_token: [other]")
        #expect(
            try await rejection(["aud": ["a", "b"]]) == .wrongAudience(found: ["a", "b"], accepted: ["web", "app"]))
        #expect(try await rejection(without: "aud") == .wrongAudience(found: [], accepted: ["web", "app"]))
        #expect(try await rejection(["aud": ["other", "web"], "azp": "web"]) == nil)
        #expect(try await rejection(["aud": 1]) == .notAccepted(.malformedClaim("aud")))
    }

    @Test("azp must be ours if the token has several audiences, and is checked for browsers")
    func authorizedParty() async throws {
        #expect(try await rejection(["aud": ["other", "web"], "azp": "web"]) == nil)
        #expect(try await rejection(["aud": ["other", "web"], "azp": "other"]) == .wrongAuthorizedParty)
        #expect(try await rejection(["aud": ["other", "web"]]) == .wrongAuthorizedParty)
        #expect(try await rejection(["aud": ["other", "web"], "azp": .null]) == .wrongAuthorizedParty)
        // Google on Android: issued to the web client, for an unlisted app.
        #expect(try await rejection(["aud": "web", "azp": "android"]) == nil)
        let acme = try ScriptedProvider(key: TestKeys.rsa())
        let provider = try acme.acme()
        func inBrowser(_ changes: AuthJSONObject) async throws -> ProviderFailure? {
            let token = try acme.token(changes.merging(["nonce": "n"]) { $1 })
            return await failure {
                try await provider.verify(idToken: token, nonce: .sent("n"), client: "web", at: noon)
            }
        }
        #expect(try await inBrowser(["aud": "web", "azp": "web"]) == nil)
        #expect(try await inBrowser(["aud": "web", "azp": "app"]) == .rejected(.wrongAuthorizedParty))
        #expect(
            try await inBrowser(["aud": "app"]) == .rejected(.wrongAudience(found: ["app"], accepted: ["web"])))
    }

    @Test("exp has no leeway; iat and nbf may be a minute ahead; iat is required")
    func times() async throws {
        let time = { (seconds: Int64) in AuthJSON.integer(noon.seconds + seconds) }
        #expect(try await rejection(["exp": time(1)]) == nil)
        #expect(try await rejection(["exp": time(0)]) == .expired(noon))
        #expect(try await rejection(["exp": time(-50)]) == .expired(noon - .seconds(50)))
        #expect(try await rejection(without: "exp") == .notAccepted(.missingClaim("exp")))
        #expect(try await rejection(["iat": time(60)]) == nil)
        #expect(try await rejection(["iat": time(61)]) == .notYetValid(claim: "iat"))
        #expect(try await rejection(without: "iat") == .notAccepted(.missingClaim("iat")))
        #expect(try await rejection(["nbf": time(60)]) == nil)
        #expect(try await rejection(["nbf": time(61)]) == .notYetValid(claim: "nbf"))
        #expect(try await rejection(["iat": "now"]) == .notAccepted(.malformedClaim("iat")))
    }

    @Test("A missing subject is refused, and so is one of more than 255 bytes")
    func subject() async throws {
        #expect(try await rejection(["sub": ""]) == .missingSubject)
        #expect(try await rejection(without: "sub") == .missingSubject)
        #expect(try await rejection(["sub": 7]) == .notAccepted(.malformedClaim("sub")))
        let long = AuthJSON.string(String(repeating: "a", count: 256))
        #expect(try await rejection(["sub": long]) == .notAccepted(.malformedClaim("sub")))
        #expect(IdentityRejection.missingSubject.summary == "Missing sub claim in id_token")
    }

    @Test("at_hash must match the access token beside it; one of the two alone proves nothing")
    func accessToken() async throws {
        let hash = AuthJSON.string(Base64URL.text(Array(SHA256.hash(data: Array("access".utf8)).prefix(16))))
        #expect(try await rejection(["at_hash": hash], access: "access") == nil)
        #expect(try await rejection(["at_hash": hash], access: "other") == .accessTokenMismatch)
        #expect(try await rejection(["at_hash": "x"], access: "access") == .accessTokenMismatch)
        #expect(try await rejection(["at_hash": 1], access: "access") == .notAccepted(.malformedClaim("at_hash")))
        #expect(try await rejection(["at_hash": hash]) == nil)
        #expect(try await rejection(access: "access") == nil)
    }

    @Test("Neither none, nor HS256 with the public key, nor a changed byte is accepted")
    func forgeries() async throws {
        let acme = try ScriptedProvider(key: TestKeys.rsa())
        let provider = try acme.acme()
        let document = try KeySet([acme.key]).publicDocument
        let modulus = try JSONReader.read(document)["keys"]?.arrayValue?.first?["n"]?.stringValue ?? ""
        let forged = TestKeys.token(header: ["alg": "none", "kid": "rs-1"], acme.claims()) { _ in [] }
        #expect(
            await failure { try await provider.native(Secret(forged)) }
                == .rejected(.notAccepted(.unsupportedHeader(member: "alg"))))
        for secret in [document, Array(modulus.utf8), Base64URL.decode(modulus) ?? []] {
            let forged = TestKeys.token(header: ["alg": "HS256", "kid": "rs-1"], acme.claims()) {
                Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
            }
            #expect(
                await failure { try await provider.native(Secret(forged)) }
                    == .rejected(.notAccepted(.algorithmMismatch)))
        }
        let parts = try acme.token().reveal().split(separator: ".")
        let payload = Base64URL.text(Array(acme.claims(["sub": "eve"]).text.utf8))
        let swapped = Secret("\(parts[0]).\(payload).\(parts[2])")
        #expect(await failure { try await provider.native(swapped) } == .rejected(.notAccepted(.badSignature)))
    }

    @Test("An access token in JWT form is not an ID token; a role of any type is no obstacle")
    func kinds() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        let secret = try P256.Signing.PrivateKey(rawRepresentation: Self.secret(of: acme.key))
        let access = try TestKeys.token(header: ["alg": "ES256", "kid": "es-1", "typ": "at+jwt"], acme.claims()) {
            Array(try secret.signature(for: $0).rawRepresentation)
        }
        #expect(
            await failure { try await provider.native(Secret(access)) }
                == .rejected(.notAccepted(.unsupportedHeader(member: "typ"))))
        let roles = try acme.token(["role": ["admin", "user"], "session_id": 1, "is_anonymous": "no"])
        #expect(try await provider.native(roles).subject == "ada-1")
    }

    private static func secret(of key: JSONWebKey) throws -> [UInt8] {
        Base64URL.decode(try JSONReader.read(key.privateJWK.reveal())["d"]?.stringValue ?? "") ?? []
    }

    @Test("Only algorithms that the provider announces and we accept are accepted")
    func algorithms() async throws {
        let onlyRSA: AuthJSONObject = ["id_token_signing_alg_values_supported": ["RS256"]]
        let acme = try ScriptedProvider(key: TestKeys.es256(), changes: onlyRSA)
        let token = try acme.token()
        #expect(await failure { try await acme.acme().native(token) } == .rejected(.algorithm(.es256)))
        let free = try ScriptedProvider(key: TestKeys.es256())
        let strict = try free.acme { $0.algorithms = [.rs256] }
        #expect(await failure { try await strict.native(free.token()) } == .rejected(.algorithm(.es256)))
    }

    @Test("A provider is unusable if it announces no supported algorithm, or publishes no key for one")
    func unusable() async throws {
        let announced: AuthJSONObject = ["id_token_signing_alg_values_supported": ["HS512", "none"]]
        let symmetric = try ScriptedProvider(key: TestKeys.es256(), changes: announced).acme()
        #expect(
            await failure { try await symmetric.usableAlgorithms() }
                == .unavailable(.discovery, .unsupportedAlgorithms(["HS512", "none"])))
        let acme = try ScriptedProvider(key: TestKeys.key(.es512))
        let noKey = ProviderFailure.unavailable(.keys, .noUsableKey([.rs256, .es256]))
        #expect(await failure { try await acme.acme().usableAlgorithms() } == noKey)
        try acme.publish([])
        #expect(await failure { try await acme.acme().usableAlgorithms() } == noKey)
        try acme.publish([TestKeys.rsa()])
        #expect(try await acme.acme().usableAlgorithms() == [.rs256])
        acme.fail("/keys", .timedOut)
        #expect(
            await failure { try await acme.acme().usableAlgorithms() } == .unavailable(.keys, .noAnswer(.timedOut)))
    }

    @Test("A token has at most 16 KiB, and must be a token")
    func form() async throws {
        let acme = try ScriptedProvider(key: TestKeys.rsa())
        let provider = try acme.acme()
        for text in ["", "rubbish", "x.y.z", "..", String(repeating: "a", count: 70_000)] {
            #expect(await failure { try await provider.native(Secret(text)) } == .rejected(.unreadable))
        }
        let padding = { (count: Int) -> AuthJSONObject in ["pad": AuthJSON.string(String(repeating: "x", count: count))]
        }
        let long = try acme.token(padding(12_500))
        #expect(long.utf8Count > 16_384)
        #expect(await failure { try await provider.native(long) } == .rejected(.unreadable))
        #expect(try await provider.native(acme.token(padding(11_000))).subject == "ada-1")
        #expect(IdentityRejection.unreadable.summary == "Bad ID token")
    }
}
