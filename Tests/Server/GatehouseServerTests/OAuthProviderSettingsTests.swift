import AccountDomain
import Foundation
import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("Settings of providers without OpenID Connect")
struct OAuthProviderSettingsTests {
    private static let site = ["GOTRUE_SITE_URL": "https://app.example.org"]
    private static let entry: AuthJSONObject = [
        "name": "custom:acme", "client_id": "web", "client_secret": "s3cret",
        "authorization": "https://acme.example.org/authorize", "token": "https://acme.example.org/token",
        "profile": "https://acme.example.org/me", "claims": ["sub": "id"],
    ]

    private func settings(_ changes: [String: String]) throws -> ServerSettings {
        try GivenValues.settings(Self.site.merging(changes) { $1 })
    }

    private func entry(_ changes: AuthJSONObject) -> [String: String] {
        let members = Self.entry.merging(changes) { $1 }.filter { !$0.value.isNull }
        return ["GATEHOUSE_OAUTH_PROVIDERS": AuthJSON.array([.object(members)]).text]
    }

    /// What `check-config` says.
    private func problems(_ changes: [String: String]) -> [String] {
        GivenValues.problems(changes).map { "\($0.name) \($0.expected)" }
    }

    @Test("Each known provider needs an id and a secret only, and asks before it links", arguments: KnownProvider.all)
    func known(_ known: KnownProvider) throws {
        let start = "GOTRUE_EXTERNAL_\(known.name.uppercased())_"
        let provider = try #require(
            try settings([start + "ENABLED": "true", start + "CLIENT_ID": "web, app", start + "SECRET": "s"]).providers
                .first)
        #expect(provider.settings.name == known.name && provider.settings.clientIDs == ["web", "app"])
        #expect(provider.settings.offersBrowserSignIn && provider.linking == .confirm)
        #expect(provider.settings.isEmailOptional == known.isEmailOptional)
        #expect(provider.address == (known.isEmailOptional ? .none : .verified))
        let strict = try settings([
            start + "ENABLED": "true", start + "CLIENT_ID": "web", start + "SECRET": "s",
            start + "EMAIL_OPTIONAL": "false",
        ])
        #expect(strict.providers.first?.address == .verified)
    }

    @Test("A missing client id and a wrong address name the setting")
    func missing() throws {
        let start = "GOTRUE_EXTERNAL_GITHUB_"
        let found = problems(
            Self.site.merging([start + "ENABLED": "true", start + "SECRET": "s"]) { $1 })
        #expect(found.contains { $0.contains("CLIENT_ID") })
        let useless = problems(Self.site.merging([start + "ENABLED": "true", start + "CLIENT_ID": "web"]) { $1 })
        #expect(useless.contains { $0.contains("EXTERNAL_GITHUB_SECRET") && $0.contains("is missing") })
        let wrong = problems(
            Self.site.merging([
                start + "ENABLED": "true", start + "CLIENT_ID": "web", start + "SECRET": "s", start + "URL": "ftp://x",
            ]) { $1 })
        #expect(wrong.contains { $0.contains("EXTERNAL_GITHUB_URL") && $0.contains("web address") })
    }

    @Test("An operator's entry is a provider like the known ones")
    func own() throws {
        let acme = try #require(try settings(entry(["scopes": ["profile"], "linking": "never"])).providers.first)
        #expect(acme.settings.name == "custom:acme" && acme.settings.scopes == ["profile"])
        #expect(acme.linking == .never && !acme.settings.acceptsIDTokens)
        #expect(acme.redirectURL == "https://api.example.org/auth/v1/callback/custom:acme")
    }

    @Test("The example of the page is a valid entry")
    func page() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs/providers.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "```")[0])
        let json = block.replacing("…", with: "x")
        #expect(try settings(["GATEHOUSE_OAUTH_PROVIDERS": json]).providers.first?.settings.name == "custom:acme")
        for known in KnownProvider.all { #expect(text.contains("`\(known.name)`")) }
    }

    @Test(
        "A fault in an entry names the member, never its value",
        arguments: [
            (["claims": [:]] as AuthJSONObject, "claims expected an object with sub"),
            (["claims": ["sub": "id", "nick": "n"]], "claims expected paths for"),
            (["claims": ["sub": "a..b"]], "claims expected paths for"),
            (["claims": ["sub": "id", "email_verified": 7]], "email_verified"),
            (["token": .null], "token is missing"), (["profile": "s3cret"], "profile expected a web address"),
            (["token_auth": "s3cret"], "token_auth expected"), (["scopes": "profile"], "scopes expected an array"),
            (["emails": ["url": "https://acme.example.org/e"]], "emails lacks a member"),
            (["id_token": ["issuer": "x"]], "id_token: jwks is missing"),
            (["pkce": "yes"], "pkce expected true or false"),
            (["name": "email"], "name expected"), (["issuer": "x"], "issuer is not a member"),
            (["self_hosted": [:]], "self_hosted is not a member"),
            (["client_secret": .null], "client_secret is missing, and pkce is not true"),
        ] as [(AuthJSONObject, String)])
    func faults(_ changes: AuthJSONObject, _ expected: String) throws {
        let found = problems(Self.site.merging(entry(changes)) { $1 })
        #expect(found.contains { $0.contains(expected) }, "\(found)")
        #expect(!found.contains { $0.contains("s3cret") })
    }

    @Test("Two entries of one name, and an entry of an enabled provider's name, are refused")
    func names() throws {
        let two = AuthJSON.array([.object(Self.entry), .object(Self.entry)]).text
        let found = problems(Self.site.merging(["GATEHOUSE_OAUTH_PROVIDERS": two]) { $1 })
        #expect(found.contains { $0.contains("is another provider's already") })
        let github = entry(["name": "github"]).merging([
            "GOTRUE_EXTERNAL_GITHUB_ENABLED": "true", "GOTRUE_EXTERNAL_GITHUB_CLIENT_ID": "web",
            "GOTRUE_EXTERNAL_GITHUB_SECRET": "s",
        ]) { $1 }
        #expect(
            problems(Self.site.merging(github) { $1 }).contains {
                $0.contains("is another provider's already")
            })
    }
}
