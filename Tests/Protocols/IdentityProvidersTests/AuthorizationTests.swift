import Crypto
import GatehouseWire
import IdentityProviders
import Testing

@Suite("Authorization requests to a provider (D3, E9)")
struct AuthorizationTests {
    private static let secrets = AuthorizationSecrets { [UInt8](repeating: 7, count: $0) }

    private func request(_ scopes: [String] = [], _ extra: [String: String] = [:]) -> AuthorizationRequest {
        AuthorizationRequest(
            state: "state-1", secrets: Self.secrets, redirectURL: "https://auth.example.org/callback", scopes: scopes,
            extra: extra.map { (name: $0.key, value: $0.value) })
    }

    private func parameters(_ url: String) -> [String: String] {
        let query = url.split(separator: "?").last ?? ""
        return Dictionary(
            uniqueKeysWithValues: query.split(separator: "&").map {
                let parts = $0.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
                return (parts[0], parts[1])
            })
    }

    @Test("The verifier has 256 random bits, and the challenge is its SHA-256 (RFC 7636 §4.2)")
    func secrets() throws {
        #expect(Self.secrets.verifier.utf8Count == 43)
        let digest = SHA256.hash(data: Array(Self.secrets.verifier.reveal().utf8))
        #expect(Self.secrets.codeChallenge == Base64URL.text(Array(digest)))
        #expect("\(Self.secrets)".contains("<secret>"))
    }

    @Test("Google gets state, nonce and S256 challenge; parameters are in order")
    func google() async throws {
        let google = try ScriptedProvider(key: TestKeys.es256())
        let url = try await google.google().authorizationURL(request(["a,b", "email"], ["prompt": "select account"]))
        #expect(
            url == "https://id.example.org/authorize?client_id=web&code_challenge=\(Self.secrets.codeChallenge)"
                + "&code_challenge_method=S256&nonce=\(Self.secrets.nonce)&prompt=select+account"
                + "&redirect_uri=https%3A%2F%2Fauth.example.org%2Fcallback&response_type=code"
                + "&scope=openid+email+profile+a+b&state=state-1")
    }

    @Test("Apple gets a form post, no challenge, and nothing from the app")
    func apple() async throws {
        let provider = try ScriptedProvider(key: TestKeys.es256()).apple(.secret(Secret("jwt")))
        let url = try await provider.authorizationURL(request(["x"], ["prompt": "none"]))
        #expect(url.hasPrefix("https://appleid.apple.com/auth/authorize?"))
        #expect(
            parameters(url) == [
                "client_id": "web", "nonce": Self.secrets.nonce, "response_mode": "form_post",
                "redirect_uri": "https%3A%2F%2Fauth.example.org%2Fcallback", "response_type": "code",
                "scope": "email+name", "state": "state-1",
            ])
    }

    @Test(
        "A caller cannot replace the server's parameters, in any case of letters",
        arguments: [
            "client_id", "client_secret", "redirect_uri", "response_type", "Response_Mode", "STATE", "nonce", "scope",
            "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "provider", "scopes",
            "invite_token", "redirect_to", "skip_http_redirect", "apikey", "Authorization", "access_token",
            "refresh_token", "jwt", "password", "link_ticket",
        ])
    func reserved(_ name: String) async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        let url = try await provider.authorizationURL(request([], [name: "evil", "login_hint": "a"]))
        #expect(!url.contains("evil"))
        #expect(parameters(url)["login_hint"] == "a")
    }

    @Test("Passed-on parameters are bounded, and the configuration overrides them")
    func bounds() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme { $0.authorizationParameters = ["access_type": "offline"] }
        var extra = Dictionary(uniqueKeysWithValues: (10..<40).map { ("p\($0)", "x") })
        extra["access_type"] = "online"
        extra["long"] = String(repeating: "x", count: 1_025)
        let scopes = (0..<40).map { "s\($0)" } + ["quo\"te", "uml\u{E4}ut"]
        let found = parameters(try await provider.authorizationURL(request(scopes, extra)))
        #expect(found["access_type"] == "offline")
        #expect(found["long"] == nil)
        #expect(found["p24"] == "x")
        #expect(found["p25"] == nil)
        #expect(found["scope"]?.split(separator: "+").count == 32)
    }

    @Test("A provider without ID tokens gets no nonce, one without PKCE no challenge, and its own query stays")
    func plain() async throws {
        let changes: AuthJSONObject = ["authorization_endpoint": "https://id.example.org/auth?tenant=1"]
        let acme = try ScriptedProvider(key: TestKeys.es256(), changes: changes)
        let provider = try acme.acme { ($0.scopes, $0.usesPKCE) = (["profile", "email"], false) }
        let extra = ["nonce": "evil", "code_challenge": "evil", "Code_Challenge_Method": "plain"]
        #expect(
            try await provider.authorizationURL(request([], extra))
                == "https://id.example.org/auth?tenant=1&client_id=web"
                + "&redirect_uri=https%3A%2F%2Fauth.example.org%2Fcallback&response_type=code"
                + "&scope=profile+email&state=state-1")
    }

    @Test("Without a credential there is no browser sign-in, and without an endpoint neither")
    func notOffered() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256(), changes: ["authorization_endpoint": .null])
        #expect(await failure { try await acme.acme().authorizationURL(request()) } == .notOffered(.authorization))
        let apple = try ScriptedProvider(key: TestKeys.es256()).apple()
        #expect(!apple.settings.offersBrowserSignIn)
        #expect(await failure { try await apple.authorizationURL(request()) } == .notOffered(.authorization))
        #expect(ProviderFailure.notOffered(.authorization).isOurConfiguration)
    }
}
