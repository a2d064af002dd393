import AccountDomain
import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("Settings of providers")
struct ProviderSettingsTests {
    private static let site = ["GOTRUE_SITE_URL": "https://app.example.org"]
    private static let apple = [
        "GOTRUE_EXTERNAL_APPLE_ENABLED": "true", "GOTRUE_EXTERNAL_APPLE_CLIENT_ID": "org.example.web,org.example.app",
        "GOTRUE_EXTERNAL_IOS_BUNDLE_ID": "org.example.old", "GATEHOUSE_EXTERNAL_APPLE_KEY": GivenValues.appleKey,
        "GATEHOUSE_EXTERNAL_APPLE_KEY_ID": "ABC123DEFG", "GATEHOUSE_EXTERNAL_APPLE_TEAM_ID": "DEF123GHIJ",
    ]
    private static let google = [
        "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true", "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID": "web,ios",
        "GOTRUE_EXTERNAL_GOOGLE_SECRET": "secret",
    ]
    private static let keycloak = [
        "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true", "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "gatehouse",
        "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "secret",
        "GOTRUE_EXTERNAL_KEYCLOAK_URL": "https://id.example.org/realms/staff/",
    ]

    private func provider(_ changes: [String: String]...) throws -> ConfiguredProvider {
        let all = changes.reduce(Self.site) { $0.merging($1) { $1 } }
        return try #require(try GivenValues.settings(all).providers.first)
    }

    @Test("Nothing is enabled by default, and settings of disabled providers are ignored")
    func nothing() throws {
        #expect(try GivenValues.settings().providers.isEmpty)
        let off = ["GOTRUE_EXTERNAL_APPLE_CLIENT_ID": "a", "GATEHOUSE_EXTERNAL_APPLE_KEY_ID": "short"]
        #expect(try GivenValues.settings(off).providers.isEmpty)
    }

    @Test("D2: Apple with its .p8 key: Services ID first, bundle ids behind it, the key signs")
    func appleKey() throws {
        let apple = try provider(Self.apple)
        #expect(apple.settings.name == "apple" && apple.settings.kind == .apple)
        #expect(apple.settings.clientIDs == ["org.example.web", "org.example.app", "org.example.old"])
        #expect(apple.settings.issuers == ProviderSettings.appleIssuers)
        #expect(apple.settings.offersBrowserSignIn)
        guard case .appleKey(let key) = apple.settings.credential else {
            Issue.record("no key")
            return
        }
        #expect(key.keyID == "ABC123DEFG" && key.teamID == "DEF123GHIJ")
    }

    @Test("Line breaks of the .p8 text may be escaped, as variables often have them")
    func escapedKey() throws {
        let text = GivenValues.appleKey.replacing("\n", with: #"\n"#)
        #expect(try provider(Self.apple, ["GATEHOUSE_EXTERNAL_APPLE_KEY": text]).settings.offersBrowserSignIn)
    }

    @Test("The key overrides a ready-made secret; with neither only apps sign in")
    func appleCredentials() throws {
        let secret = ["GOTRUE_EXTERNAL_APPLE_SECRET": "ready-made"]
        guard case .appleKey = try provider(Self.apple, secret).settings.credential else {
            Issue.record("the key does not count")
            return
        }
        let noKey = Self.apple.filter { !$0.key.hasPrefix("GATEHOUSE_") }
        guard case .secret(let given) = try provider(noKey, secret).settings.credential else {
            Issue.record("the secret does not count")
            return
        }
        #expect(given.matches(Secret("ready-made")))
        #expect(try !provider(noKey).settings.offersBrowserSignIn)
    }

    @Test(
        "Key, key id and team belong together",
        arguments: [
            "GATEHOUSE_EXTERNAL_APPLE_KEY", "GATEHOUSE_EXTERNAL_APPLE_KEY_ID", "GATEHOUSE_EXTERNAL_APPLE_TEAM_ID",
        ])
    func halfAKey(name: String) {
        let problems = GivenValues.problems(Self.site.merging(Self.apple) { $1 }.merging([name: ""]) { $1 })
        #expect(problems == [SettingsProblem(name, "is missing: the .p8 key, its id and its team belong together")])
    }

    @Test("A stand-in for Apple uses its own issuer, or Apple's")
    func appleStandIn() throws {
        let here = [
            "GATEHOUSE_OUTGOING_LOOPBACK": "true", "GOTRUE_EXTERNAL_APPLE_URL": "http://127.0.0.1:1/dev/apple/",
        ]
        let apple = try provider(Self.apple, here).settings
        #expect(apple.issuers == ["http://127.0.0.1:1/dev/apple"] + ProviderSettings.appleIssuers)
        guard case .fixed(let endpoints) = apple.endpoints else {
            Issue.record("Apple's endpoints are fixed")
            return
        }
        #expect(endpoints.keys?.text == "http://127.0.0.1:1/dev/apple/auth/keys")
    }

    @Test("D3: Google is found by its discovery document")
    func google() throws {
        let google = try provider(Self.google).settings
        #expect(google.name == "google" && google.clientIDs == ["web", "ios"] && google.usesPKCE)
        #expect(google.issuers == ["https://accounts.google.com", "accounts.google.com"])
    }

    @Test("Keycloak is called as by Supabase Auth: fixed endpoints, no openid, no code challenge")
    func keycloak() throws {
        let keycloak = try provider(Self.keycloak).settings
        #expect(keycloak.issuers == ["https://id.example.org/realms/staff"])
        #expect(keycloak.scopes == ["profile", "email"] && !keycloak.usesPKCE)
        guard case .fixed(let endpoints) = keycloak.endpoints else {
            Issue.record("Keycloak's endpoints are fixed")
            return
        }
        let base = "https://id.example.org/realms/staff/protocol/openid-connect"
        #expect(endpoints.authorization?.text == base + "/auth" && endpoints.token?.text == base + "/token")
        #expect(endpoints.keys?.text == base + "/certs" && endpoints.userInfo?.text == base + "/userinfo")
        #expect(endpoints.revocation?.text == base + "/revoke")
    }

    @Test("The redirect URI is below the external URL, or the configured one letter by letter")
    func redirectURI() throws {
        #expect(try provider(Self.google).redirectURL == "https://api.example.org/auth/v1/callback")
        let other = ["GOTRUE_EXTERNAL_GOOGLE_REDIRECT_URI": "https://api.example.org/back/"]
        #expect(try provider(Self.google, other).redirectURL == "https://api.example.org/back/")
    }

    @Test("D7: the linking policy is each provider's own", arguments: LinkingPolicy.allCases)
    func linking(policy: LinkingPolicy) throws {
        let changes = ["GATEHOUSE_EXTERNAL_GOOGLE_LINKING": policy.rawValue]
        #expect(try provider(Self.google, changes).linking == policy)
        #expect(try provider(Self.google).linking == .automatic)
        #expect(try provider(Self.keycloak).linking == .confirm)
    }

    @Test("An address is required, and a verified one without automatic confirmation")
    func addresses() throws {
        let confirming = ["GOTRUE_MAILER_AUTOCONFIRM": "true"]
        #expect(try provider(Self.google).address == .verified)
        #expect(try provider(Self.google, confirming).address == .present)
        #expect(try provider(Self.google, ["GOTRUE_EXTERNAL_GOOGLE_EMAIL_OPTIONAL": "true"]).address == .none)
        // Apple's users may have none.
        #expect(try provider(Self.apple).address == .none)
        #expect(try provider(Self.apple, ["GOTRUE_EXTERNAL_APPLE_EMAIL_OPTIONAL": "no"]).address == .verified)
    }

    @Test("The nonce check can be disabled for apps that cannot know the nonce")
    func nonceCheck() throws {
        #expect(try !provider(Self.google).settings.skipsNonceCheck)
        let changes = ["GOTRUE_EXTERNAL_GOOGLE_SKIP_NONCE_CHECK": "true"]
        #expect(try provider(Self.google, changes).settings.skipsNonceCheck)
    }

    @Test(
        "A fault is reported under its name",
        arguments: [
            ("GOTRUE_EXTERNAL_APPLE_CLIENT_ID", ""), ("GATEHOUSE_EXTERNAL_APPLE_KEY", "no key"),
            ("GATEHOUSE_EXTERNAL_APPLE_KEY_ID", "abc"), ("GATEHOUSE_EXTERNAL_APPLE_TEAM_ID", "abc"),
            ("GOTRUE_EXTERNAL_APPLE_URL", "http://127.0.0.1:1"), ("GOTRUE_EXTERNAL_APPLE_ENABLED", "perhaps"),
            ("GATEHOUSE_EXTERNAL_APPLE_LINKING", "always"), ("GOTRUE_EXTERNAL_APPLE_REDIRECT_URI", "/callback"),
            ("GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID", ""), ("GOTRUE_EXTERNAL_GOOGLE_URL", "accounts.google.com"),
            ("GOTRUE_EXTERNAL_GOOGLE_SKIP_NONCE_CHECK", "x"), ("GOTRUE_EXTERNAL_GOOGLE_EMAIL_OPTIONAL", "x"),
            ("GOTRUE_EXTERNAL_KEYCLOAK_URL", ""), ("GOTRUE_EXTERNAL_KEYCLOAK_URL", "https://10.0.0.1/realms/a"),
            ("GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID", ","), ("GATEHOUSE_OUTGOING_NETWORKS", "10.0.0.1/8"),
            ("GATEHOUSE_OUTGOING_LOOPBACK", "maybe"), ("GATEHOUSE_OPENID_PROVIDERS", "{}"),
        ])
    func wrong(name: String, value: String) {
        var all = [Self.site, Self.google, Self.keycloak].reduce(Self.apple) { $0.merging($1) { $1 } }
        all["GOTRUE_EXTERNAL_IOS_BUNDLE_ID"] = nil
        let problems = GivenValues.problems(all.merging([name: value]) { $1 })
        let ours = value.isEmpty ? name.replacing("GOTRUE_", with: "GATEHOUSE_") : name
        #expect(problems.map(\.name) == [ours])
    }

    @Test("A network that is not public can be allowed")
    func networks() throws {
        let changes = [
            "GOTRUE_EXTERNAL_KEYCLOAK_URL": "https://10.0.0.1/realms/a", "GATEHOUSE_OUTGOING_NETWORKS": "10.0.0.0/8",
        ]
        #expect(try provider(Self.keycloak, changes).settings.issuers == ["https://10.0.0.1/realms/a"])
    }

    @Test("All faults of all providers are reported together")
    func allAtOnce() {
        let problems = GivenValues.problems([
            "GOTRUE_EXTERNAL_APPLE_ENABLED": "true", "GATEHOUSE_EXTERNAL_APPLE_LINKING": "x",
            "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true", "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
            "GATEHOUSE_OPENID_PROVIDERS": "[1]",
        ])
        #expect(
            problems.map(\.name) == [
                "GATEHOUSE_EXTERNAL_APPLE_LINKING", "GATEHOUSE_EXTERNAL_APPLE_CLIENT_ID",
                "GATEHOUSE_EXTERNAL_GOOGLE_CLIENT_ID", "GATEHOUSE_EXTERNAL_KEYCLOAK_URL",
                "GATEHOUSE_EXTERNAL_KEYCLOAK_CLIENT_ID", "GATEHOUSE_OPENID_PROVIDERS",
            ])
    }

    @Test("A gateway alone ignores them")
    func gatewayAlone() throws {
        let changes = [
            "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true", "GATEHOUSE_JWKS_URL": "https://a.example/jwks.json",
            "GATEHOUSE_JWT_ISSUER": "https://a.example", "GATEHOUSE_ISSUER_SECRET_KEY": "sb_secret_0123456789abcdef",
        ]
        #expect(try ServerSettings(GivenValues.given(changes), parts: [.gateway]).providers.isEmpty)
    }
}
