import Foundation
import GatehouseCLI
import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("Provider checks of doctor", .timeLimit(.minutes(5)))
struct ProviderChecksTests {
    private static let noon = Instant(seconds: 1_800_000_000)
    private static let rule = OutgoingAddressRule(allowsLoopback: true)
    private static let keys = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"a","alg":"ES256","use":"sig",\
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """

    private func providers(_ changes: [String: String]) throws -> [ConfiguredProvider] {
        let usual = ["GOTRUE_SITE_URL": "https://app.example.org", "GATEHOUSE_OUTGOING_LOOPBACK": "true"]
        return try GivenValues.settings(usual.merging(changes) { $1 }).providers
    }

    private func acme(_ url: String) throws -> [ConfiguredProvider] {
        try providers(["GATEHOUSE_OPENID_PROVIDERS": #"[{"name":"acme","issuer":"\#(url)","client_id":"a"}]"#])
    }

    private func findings(_ providers: [ConfiguredProvider]) async -> [Finding] {
        let calls = ProviderCalls(rule: Self.rule, http: OutgoingHTTP(sleep: LocalServer.never)) { _ in [] }
        return await ProviderChecks(providers, calls: calls, now: { Self.noon }).all()
    }

    private func server(keys: LocalServer.Answer, algorithms: String = #"["RS256","ES256"]"#) throws -> LocalServer {
        try LocalServer { url in
            let document = """
                {"issuer":"\(url)","jwks_uri":"\(url)/keys",\
                "id_token_signing_alg_values_supported":\(algorithms)}
                """
            return [.status(200, body: document), keys]
        }
    }

    @Test("A provider that answers is fine")
    func well() async throws {
        let findings = await findings(try acme(try server(keys: .status(200, body: Self.keys)).url))
        #expect(findings.map(\.state) == [.ok])
        #expect(findings.first?.name == "provider acme")
        #expect(findings.first?.text == "reachable; accepts ID tokens signed with ES256")
    }

    @Test("Without a discovery document sign-in is impossible")
    func noDocument() async throws {
        let server = try LocalServer([.status(404)])
        let findings = await findings(try acme(server.url))
        #expect(findings.map(\.state) == [.problem])
        #expect(findings.first?.text == "its discovery document cannot be read: status 404")
    }

    @Test(
        "Missing or invalid keys are a problem",
        arguments: [LocalServer.Answer.status(500), .status(200, body: "{}")])
    func noKeys(answer: LocalServer.Answer) async throws {
        let findings = await findings(try acme(try server(keys: answer).url))
        #expect(findings.map(\.state) == [.problem])
        #expect(findings.first?.text.hasPrefix("its keys at http://127.0.0.1:") == true)
    }

    @Test(
        "A provider that answers is a problem if its ID tokens could not be verified",
        arguments: [
            (#"["HS256","none"]"#, keys, "its ID tokens are signed with HS256, none, which is not supported"),
            (#"["RS256","PS512"]"#, keys, "verifies RS256, PS512"),
            (#"["ES256"]"#, #"{"keys":[]}"#, "verifies ES256"),
        ])
    func unusable(algorithms: String, keys: String, text: String) async throws {
        let server = try server(keys: .status(200, body: keys), algorithms: algorithms)
        let findings = await findings(try acme(server.url))
        #expect(findings.map(\.state) == [.problem])
        #expect(findings.first?.text.hasSuffix(text) == true)
    }

    @Test(
        "A standalone gateway's issuer must publish a key that verifies tokens",
        arguments: [
            (LocalServer.Answer.status(200, body: keys), Finding.State.ok, "publishes keys for ES256"),
            (.status(200, body: #"{"keys":[{"kty":"oct","k":"AA"}]}"#), .problem, "has no key that verifies tokens"),
            (.status(200, body: "{}"), .problem, "cannot be read: it is not a JWK Set"),
            (.status(500), .problem, "cannot be read: status 500"),
        ])
    func issuer(answer: LocalServer.Answer, state: Finding.State, text: String) async throws {
        let server = try LocalServer([answer])
        let settings = RemoteIssuerSettings(keysURL: server.url, issuer: server.url, secretKey: Secret("key"))
        let finding = await IssuerCheck(settings, http: OutgoingHTTP(sleep: LocalServer.never)).finding()
        #expect(finding.state == state && finding.text.hasSuffix(text))
    }

    @Test("Nothing configured, nothing found")
    func none() async throws {
        #expect(await findings([]).isEmpty)
    }

    @Test(
        "Apple's ready-made secret: a warning 30 days before its end, a problem after it (pitfall 18)",
        arguments: [
            (31 * 86_400, Finding.State.ok), (29 * 86_400, .warning), (1, .warning), (0, .problem), (-1, .problem),
        ])
    func appleSecret(secondsLeft: Int64, state: Finding.State) throws {
        let claims = #"{"iss":"DEF123GHIJ","exp":\#(Self.noon.seconds + secondsLeft)}"#
        let token = [#"{"alg":"ES256","kid":"ABC123DEFG"}"#, claims, "signature"].map { Base64URL.text(Array($0.utf8)) }
            .joined(separator: ".")
        #expect(try secret(token)?.state == state)
    }

    @Test("An invalid token is not an Apple secret; with the .p8 key nothing expires")
    func otherSecrets() throws {
        #expect(try secret("a password")?.state == .warning)
        let key = [
            "GATEHOUSE_EXTERNAL_APPLE_KEY": GivenValues.appleKey, "GATEHOUSE_EXTERNAL_APPLE_KEY_ID": "ABC123DEFG",
            "GATEHOUSE_EXTERNAL_APPLE_TEAM_ID": "DEF123GHIJ",
        ]
        #expect(try secret("a password", key) == nil)
    }

    private func secret(_ text: String, _ more: [String: String] = [:]) throws -> Finding? {
        let changes = [
            "GOTRUE_EXTERNAL_APPLE_ENABLED": "true", "GOTRUE_EXTERNAL_APPLE_CLIENT_ID": "a",
            "GOTRUE_EXTERNAL_APPLE_SECRET": text,
        ]
        let apple = try #require(try providers(changes.merging(more) { $1 }).first)
        return ProviderChecks.secret(apple.settings, "provider apple", at: Self.noon)
    }

    @Test(
        "Browsers return over https, or on this machine",
        arguments: [
            ("https://api.example.org/callback", "secret", true), ("http://127.0.0.1:9999/callback", "secret", true),
            ("http://localhost/callback", "secret", true), ("http://api.example.org/callback", "secret", false),
            ("http://api.example.org/callback", "", true),
        ])
    func redirect(url: String, secret: String, isFine: Bool) throws {
        let provider = try #require(
            try providers([
                "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true", "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID": "a",
                "GOTRUE_EXTERNAL_GOOGLE_SECRET": secret, "GOTRUE_EXTERNAL_GOOGLE_REDIRECT_URI": url,
            ]).first)
        #expect((ProviderChecks.redirect(provider, "provider google") == nil) == isFine)
    }

    @Test(
        "Outbox items older than an hour are reported",
        arguments: [
            (0, nil, Finding.State.ok), (3, 3_600, .ok), (3, 3_601, .warning), (1, -5, .ok),
        ] as [(Int, Int64?, Finding.State)])
    func outbox(count: Int, age: Int64?, state: Finding.State) {
        let oldest = age.map { Instant(seconds: Self.noon.seconds - $0) }
        #expect(Finding.outbox(count: count, oldest: oldest, at: Self.noon).state == state)
    }
}
