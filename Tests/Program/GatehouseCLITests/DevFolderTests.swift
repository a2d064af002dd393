import AccountDomain
import AuthServer
import GatehouseCLI
import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("Generated values of gatehouse dev")
struct DevFolderTests {
    private static let created = Instant(seconds: 1_800_000_000)

    private func secrets() -> DevSecrets {
        DevSecrets(at: Self.created) { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) } }
    }

    @Test("Its secrets are the same after a restart")
    func roundTrip() throws {
        let made = secrets()
        let read = try #require(DevSecrets(json: made.json))
        #expect(read.json == made.json)
        #expect(try read.roleKey("anon") == made.roleKey("anon"))
    }

    @Test("A damaged file is an error, not another value", arguments: ["", "{}", "[]", #"{"server_secrets":"1:x"}"#])
    func damaged(text: String) {
        #expect(DevSecrets(json: text) == nil)
    }

    @Test("Its settings are complete and suit a development server")
    func settings() throws {
        let address = ListenAddress(host: "127.0.0.1", port: 1_234)
        let environment = secrets().environment(database: "d/gatehouse.sqlite", address: address)
        let settings = try ServerSettings(GivenSettings(environment: environment))
        #expect(settings.listen == address)
        #expect(settings.auth.issuer == "http://localhost:1234/auth/v1")
        #expect(settings.auth.confirmsAutomatically && settings.auth.allowsAnonymousSignIn)
        #expect(settings.rates == nil && settings.sessions.freshSignIn == nil)
        #expect(settings.requestTimeLimit == .seconds(60))
        let strict = secrets().environment(database: "d/gatehouse.sqlite", address: address, isStrict: true)
        #expect(try ServerSettings(GivenSettings(environment: strict)).sessions.freshSignIn == .seconds(600))
        #expect(settings.auth.redirects.siteURL == "http://localhost:1234/dev" && settings.auth.redirects.takesPatterns)
        #expect(!settings.auth.allowsImplicitFlow && settings.providers.isEmpty)
        #expect(!settings.tokens.signsWithSharedSecret && settings.tokens.sharedSecret != nil)
        #expect(settings.auth.apiKeys.secret.count == 1 && settings.auth.apiKeys.publishable.count == 1)
    }

    @Test("Settings for serve are refused; settings of other programs are remarked on")
    func ignored() throws {
        let environment = [
            "GOTRUE_JWT_SECRET": "a", "GOTRUE_SMTP_HOST": "b", "GATEHOUSE_SECRETS_FILE": "c", "API_EXTERNAL_URL": "d",
            "PORT": "80", "DATABASE_URL": "e", "GATEHOUSE_URL": "f", "GATEHOUSE_KEY": "g", "HOME": "h", "GOTRUE_X": "",
            "GOTRUE_HOOK_SEND_EMAIL_ENABLED": "true", "GATEHOUSE_WEBHOOKS_FILE": "i",
            "GATEHOUSE_OAUTH_RESOURCES": "j",
        ]
        let ignored = IgnoredSettings(environment: environment)
        let refused = ["API_EXTERNAL_URL", "GATEHOUSE_SECRETS_FILE", "GOTRUE_JWT_SECRET", "GOTRUE_SMTP_HOST"]
        #expect(ignored.refused == refused)
        #expect(throws: SettingsProblems.self) { try ignored.refuse() }
        #expect(ignored.remark(file: "gatehouse.yaml")?.contains("DATABASE_URL, PORT, gatehouse.yaml.") == true)
        let read = [
            "GOTRUE_HOOK_SEND_EMAIL_ENABLED": "true", "GATEHOUSE_WEBHOOKS_FILE": "i", "GATEHOUSE_OAUTH_RESOURCES": "j",
        ]
        #expect(IgnoredSettings.read(from: environment) == read)
        let nothing = IgnoredSettings(environment: ["HOME": "h"])
        try nothing.refuse()
        #expect(nothing.remark(file: nil) == nil)
    }

    @Test("Stand-ins are ordinary providers, on this machine only")
    func standIns() throws {
        let standIns = try #require(try DevStandIns(at: "http://127.0.0.1:1234", confirmsAutomatically: true))
        #expect(standIns.appleURL == "http://127.0.0.1:1234/dev/apple")
        #expect(standIns.googleURL == "http://127.0.0.1:1234/dev/google")
        #expect(standIns.providers.map(\.settings.name) == ["apple", "google", "github"])
        #expect(standIns.providers.map(\.settings.issuers.first).prefix(2) == [standIns.appleURL, standIns.googleURL])
        #expect(standIns.providers.map(\.address) == [.none, .present, .present])
        for provider in standIns.providers {
            #expect(provider.settings.offersBrowserSignIn && provider.linking == .automatic)
            #expect(provider.redirectURL == "http://127.0.0.1:1234/auth/v1/callback")
        }
        let some = try DevStandIns(at: "http://127.0.0.1:1234", offering: ["x"], confirmsAutomatically: true)
        #expect(some?.providers.map(\.settings.name) == ["x"])
        #expect(try DevStandIns(at: "http://192.168.1.2:1234", confirmsAutomatically: true) == nil)
    }

    @Test("A role key names the role, an issuer and ten years")
    func roleKey() throws {
        let parts = try secrets().roleKey("service_role").split(separator: ".")
        #expect(parts.count == 3)
        // {"alg":"HS256","typ":"JWT"}
        #expect(parts[0] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
        // {"role":"service_role","iss":"gatehouse","iat":1800000000,"exp":2115360000}
        let claims =
            "eyJyb2xlIjoic2VydmljZV9yb2xlIiwiaXNzIjoiZ2F0ZWhvdXNlIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiOjIxMTUzNjAwMDB9"
        #expect(parts[1] == claims)
    }

    @Test("--json is one line with exactly nine names")
    func json() throws {
        let text = DevAddresses(
            url: "http://127.0.0.1:1", publishableKey: "p", secretKey: Secret("s"), anonKey: "a", serviceRoleKey: "r",
            folder: ".gatehouse", apple: "http://127.0.0.1:1/dev/apple", google: "http://127.0.0.1:1/dev/google"
        ).json
        #expect(!text.contains("\n"))
        let members = try #require(try JSONReader.read(text).objectValue)
        #expect(
            members == [
                "url": "http://127.0.0.1:1", "auth_url": "http://127.0.0.1:1/auth/v1",
                "gateway_url": "http://127.0.0.1:1", "publishable_key": "p", "secret_key": "s", "anon_key": "a",
                "service_role_key": "r", "apple_stand_in": "http://127.0.0.1:1/dev/apple",
                "google_stand_in": "http://127.0.0.1:1/dev/google",
            ])
    }

    @Test("The printed text and --json name the inbox, if there is one")
    func inbox() throws {
        func addresses(_ inbox: String?) -> DevAddresses {
            DevAddresses(
                url: "http://127.0.0.1:1", publishableKey: "p", secretKey: Secret("s"), anonKey: "a",
                serviceRoleKey: "r", folder: ".gatehouse", inbox: inbox)
        }
        let url = "http://127.0.0.1:1/dev/inbox"
        #expect(addresses(url).block.contains("Inbox             \(url)"))
        #expect(try JSONReader.read(addresses(url).json)["inbox"] == .string(url))
        #expect(!addresses(nil).block.contains("Inbox"))
    }

    @Test("The printed text has an address to try a provider, if there are stand-ins")
    func block() {
        func block(_ providers: [String]) -> String {
            var addresses = DevAddresses(
                url: "http://127.0.0.1:1", publishableKey: "p", secretKey: Secret("s"), anonKey: "a",
                serviceRoleKey: "r", folder: ".gatehouse")
            addresses.providers = providers
            return addresses.block
        }
        let address = "http://127.0.0.1:1/auth/v1/authorize?provider=github&code_challenge="
        #expect(block(["github", "x"]).contains(address))
        #expect(!block([]).contains("authorize"))
    }

    @Test(
        "In development every page of this machine is allowed, and the addresses of --redirect",
        arguments: [
            ("http://localhost:3000", true), ("http://127.0.0.1:54321/callback", true), ("http://localhost/a/b", true),
            ("http://127.0.0.1:9999/ready", true), ("https://localhost:5173/x?y=z", true), ("boxscore://in", true),
            ("other://in", false), ("https://example.org", false), ("http://localhost.example.org/", false),
            ("http://localhost:3000@example.org/", false), ("http://localhost:80.example.org/", false),
        ])
    func development(address: String, isAllowed: Bool) throws {
        let redirects = try GivenValues.settings([
            "GOTRUE_SITE_URL": "http://127.0.0.1:9999", "GATEHOUSE_REDIRECT_PATTERNS": "true",
            "GOTRUE_URI_ALLOW_LIST": DevRedirects.list(["boxscore://in"]),
        ]).auth.redirects
        #expect(redirects.allows(address) == isAllowed)
    }
}
