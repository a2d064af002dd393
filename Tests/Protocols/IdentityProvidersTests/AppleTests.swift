import Crypto
import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Testing

@Suite("Apple (D2, pitfalls 8 and 18)")
struct AppleTests {
    private let key = P256.Signing.PrivateKey()
    private let apple: ScriptedProvider

    init() throws { apple = try ScriptedProvider(issuer: "https://appleid.apple.com", key: TestKeys.rsa()) }

    private func signingKey() throws -> AppleSigningKey {
        try AppleSigningKey(pem: Secret(key.pemRepresentation), keyID: "ABC123DEFG", teamID: "TEAM123456")
    }

    /// With the .p8 key's public half.
    private func verified(_ secret: String, at now: Instant) throws -> TokenClaims {
        let ours = try JSONWebKey(es256: Array(key.rawRepresentation), id: "ABC123DEFG")
        return try KeySet([try #require(ours.publicHalf)]).verify(secret, at: now).claims
    }

    @Test("The client secret is signed by the .p8 key for one client and an hour")
    func clientSecret() throws {
        let secret = try signingKey().clientSecret(for: "org.example.app", at: noon)
        let claims = try verified(secret.reveal(), at: noon)
        #expect(claims.issuer == "TEAM123456")
        #expect(claims.subject == "org.example.app")
        #expect(claims.audience == ["https://appleid.apple.com"])
        #expect(claims.issuedAt == noon)
        #expect(claims.expiresAt == noon + .seconds(3_600))
        let header = try #require(Base64URL.decode(String(secret.reveal().split(separator: ".")[0])))
        #expect(try JSONReader.read(header) == ["alg": "ES256", "kid": "ABC123DEFG", "typ": "JWT"])
    }

    @Test("No client secret is valid for longer than Apple allows")
    func longest() throws {
        let secret = try signingKey().clientSecret(for: "app", at: noon, lifetime: .seconds(40_000_000))
        #expect(try verified(secret.reveal(), at: noon).expiresAt == noon + .seconds(15_777_000))
    }

    @Test("A key file may have escaped line breaks; a key that is not P-256 is refused with all other faults")
    func keyFile() throws {
        let oneLine = key.pemRepresentation.replacing("\n", with: #"\n"#)
        _ = try AppleSigningKey(pem: Secret(oneLine), keyID: "ABC123DEFG", teamID: "TEAM123456")
        for pem in ["", "rubbish", P384.Signing.PrivateKey().pemRepresentation, key.publicKey.pemRepresentation] {
            #expect(throws: ProviderSettingsProblems([.teamID("team"), .keyID(""), .privateKey])) {
                try AppleSigningKey(pem: Secret(pem), keyID: "", teamID: "team")
            }
        }
        let shown = String(reflecting: try signingKey())
        #expect(!shown.contains(Base64URL.text(Array(key.rawRepresentation))))
    }

    @Test("An app's code is exchanged as the app, without redirect URL and verifier; the secret is reused")
    func nativeCode() async throws {
        let provider = try apple.apple(.appleKey(signingKey()))
        apple.answer("/auth/token", ["access_token": "at", "refresh_token": "rt", "id_token": "x"])
        func secret(for client: String?, at now: Instant) async throws -> String {
            let tokens = try await provider.exchange(
                code: Secret("c"), verifier: Secret("v"), redirectURL: nil, client: client, at: now)
            #expect(tokens.client == client ?? "web")
            return apple.lastForm["client_secret"] ?? ""
        }
        let first = try await secret(for: "app", at: noon)
        #expect(apple.requests.last?.url.text == "https://appleid.apple.com/auth/token")
        #expect(Set(apple.lastForm.keys) == ["grant_type", "code", "client_id", "client_secret"])
        #expect(apple.lastForm["client_id"] == "app")
        #expect(try verified(first, at: noon).subject == "app")
        #expect(try await secret(for: "app", at: noon + .seconds(1_799)) == first)
        let later = noon + .seconds(1_800)
        let second = try await secret(for: "app", at: later)
        #expect(try verified(second, at: later).issuedAt == later)
        #expect(try verified(await secret(for: nil, at: later), at: later).subject == "web")
        // A clock that was set back keeps no secret from the future.
        #expect(try verified(await secret(for: "app", at: noon), at: noon).issuedAt == noon)
    }

    @Test("Apple's refresh token is revoked with the client that received it")
    func revocation() async throws {
        let provider = try apple.apple(.appleKey(signingKey()))
        apple.answer("/auth/revoke", body: [])
        #expect(try await provider.revoke(Secret("rt"), client: "app", at: noon) == .revoked)
        #expect(apple.requests.map(\.url.text) == ["https://appleid.apple.com/auth/revoke"])
        #expect((apple.lastForm["token"], apple.lastForm["token_type_hint"]) == ("rt", "refresh_token"))
        #expect(try verified(apple.lastForm["client_secret"] ?? "", at: noon).subject == "app")
    }

    @Test("A ready-made secret shows its expiry, for an early warning")
    func readyMade() throws {
        let made = try signingKey().clientSecret(for: "web", at: noon, lifetime: .seconds(86_400))
        #expect(ClientCredential.secret(made).expiresAt == noon + .seconds(86_400))
        #expect(ClientCredential.secret(Secret("plain")).expiresAt == nil)
        #expect(ClientCredential.appleKey(try signingKey()).expiresAt == nil)
    }

    @Test("A stand-in can replace Apple on this machine, where allowed")
    func standIn() async throws {
        let settings = try ProviderSettings.apple(
            clientIDs: ["app"], credential: .none, base: "http://127.0.0.1:9999/apple", issuers: [apple.issuer])
        #expect(throws: ProviderSettingsProblems.self) { try apple.provider(settings) }
        let provider = try apple.provider(settings, rule: OutgoingAddressRule(allowsLoopback: true))
        apple.answer("/127.0.0.1:9999/apple/auth/keys", body: try KeySet([apple.key]).publicDocument)
        apple.answer("/apple/auth/keys", body: try KeySet([apple.key]).publicDocument)
        #expect(try await provider.native(apple.token()).subject == "ada-1")
        #expect(apple.requests.map(\.url.text) == ["http://127.0.0.1:9999/apple/auth/keys"])
    }
}
