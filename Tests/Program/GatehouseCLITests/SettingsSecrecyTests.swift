import Foundation
import GatehouseCLI
import GatehouseServer
import TestSupport
import Testing

@Suite("Secrets stay secret")
struct SettingsSecrecyTests {
    private static let secrets = [
        "GATEHOUSE_SECRETS": "7:\(GivenValues.secret)", "GOTRUE_JWT_SECRET": GivenValues.jwtSecret,
        "GATEHOUSE_SECRET_KEYS": "sb_secret_hidden0123456789", "GOTRUE_JWT_KEYS": GivenValues.signingKey,
        "GATEHOUSE_ISSUER_SECRET_KEY": "sb_secret_issuer0123456789",
        "GATEHOUSE_EXTERNAL_APPLE_KEY": GivenValues.appleKey, "GOTRUE_EXTERNAL_APPLE_SECRET": "apple-hidden-secret",
        "GOTRUE_EXTERNAL_GOOGLE_SECRET": "google-hidden-secret",
        "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "keycloak-hidden-secret",
        "GATEHOUSE_OPENID_PROVIDERS":
            #"[{"name":"a","issuer":"https://a.example","client_id":"a","client_secret":"openid-hidden-secret"}]"#,
    ]
    /// The settings that make the secrets apply.
    private static let others = [
        "GOTRUE_SITE_URL": "https://app.example.org", "GOTRUE_EXTERNAL_APPLE_ENABLED": "true",
        "GOTRUE_EXTERNAL_APPLE_CLIENT_ID": "a", "GATEHOUSE_EXTERNAL_APPLE_KEY_ID": "ABC123DEFG",
        "GATEHOUSE_EXTERNAL_APPLE_TEAM_ID": "DEF123GHIJ", "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true",
        "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID": "a",
    ]
    private static let needles = [
        GivenValues.secret, GivenValues.jwtSecret, "hidden0123456789", "jpsQnnGQmL", "issuer0123456789",
        "H1136cspYG6", "hidden-secret",
    ]

    private func expectNoSecret(in text: String, _ place: String) {
        for needle in Self.needles { #expect(!text.contains(needle), "\(place) shows \(needle.prefix(8))…") }
    }

    @Test("Neither print nor dump of given or parsed values shows one")
    func dumping() throws {
        let given = GivenValues.given(Self.secrets.merging(Self.others) { $1 })
        let settings = try ServerSettings(given)
        #expect(settings.providers.count == 3)
        var dumped = ""
        dump(given, to: &dumped)
        dump(settings, to: &dumped)
        dump(given[.jwtSecret], to: &dumped)
        dump(settings.providers, to: &dumped)
        expectNoSecret(in: dumped, "dump")
        expectNoSecret(in: "\(given) \(settings) \(String(reflecting: settings)) \(String(reflecting: given))", "print")
    }

    @Test("The report of check-config masks them and shows their sources")
    func report() {
        let text = SettingsReport(GivenValues.given(Self.secrets)).text
        expectNoSecret(in: text, "check-config")
        #expect(text.contains("(secret)"))
        #expect(text.contains("GOTRUE_JWT_SECRET"))
    }

    @Test("A database URL with a password is masked")
    func databaseURL() {
        let text = SettingsReport(GivenValues.given(["GATEHOUSE_DATABASE": "postgres://user:pass@host/db"])).text
        #expect(text.contains("postgres://(secret)") && !text.contains("user:pass"))
    }

    @Test("A problem with a secret does not repeat it", arguments: Self.secrets.keys.sorted())
    func problems(name: String) {
        let wrong = "visible-mistake"
        let problems = GivenValues.problems(Self.others.merging([name: wrong]) { $1 }, parts: [.auth, .gateway])
        #expect(!"\(problems)".contains(wrong))
    }

    @Test("A secret may come from a file, and not from two places")
    func secretFile() throws {
        let read: (String) throws -> String = { path in
            #expect(path == "secret.txt")
            return GivenValues.jwtSecret
        }
        let changes = ["GOTRUE_JWT_SECRET_FILE": "secret.txt"]
        let environment = GivenValues.least.merging(changes) { $1 }
        let settings = try ServerSettings(GivenSettings(environment: environment, readFile: read))
        #expect(settings.tokens.signsWithSharedSecret)
        let twice = environment.merging(["GOTRUE_JWT_SECRET": GivenValues.jwtSecret]) { $1 }
        #expect(GivenSettings(environment: twice, readFile: read).problems.map(\.name) == ["GOTRUE_JWT_SECRET"])
    }

    @Test("A missing file is a problem with its variable's name")
    func missingFile() {
        let problems = GivenValues.problems(["GATEHOUSE_JWT_SECRET_FILE": "no/such/file"])
        #expect(problems.map(\.name) == ["GATEHOUSE_JWT_SECRET_FILE"])
    }
}
