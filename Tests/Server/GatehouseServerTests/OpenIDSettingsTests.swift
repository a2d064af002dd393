import AccountDomain
import GatehouseServer
import GatehouseWire
import IdentityProviders
import TestSupport
import Testing

@Suite("The list of OpenID providers")
struct OpenIDSettingsTests {
    private static let least: AuthJSON = [
        "name": "acme", "issuer": "https://id.acme.example", "client_id": "web, app",
    ]

    private func changes(_ text: String) -> [String: String] {
        ["GATEHOUSE_OPENID_PROVIDERS": text, "GOTRUE_SITE_URL": "https://app.example.org"]
    }

    private func provider(_ members: AuthJSON) throws -> ConfiguredProvider {
        try #require(try GivenValues.settings(changes(AuthJSON.array([members]).text)).providers.first)
    }

    private func with(_ more: AuthJSON) -> AuthJSON {
        .object((Self.least.objectValue ?? [:]).merging(more.objectValue ?? [:]) { _, new in new })
    }

    private func sentences(_ text: String) -> [String] {
        GivenValues.problems(changes(text)).map { $0.name == "GATEHOUSE_OPENID_PROVIDERS" ? $0.expected : "\($0)" }
    }

    @Test("The minimum: name, issuer and client ids, for a public client with discovery")
    func least() throws {
        let acme = try provider(Self.least)
        #expect(acme.settings.name == "acme" && acme.settings.issuers == ["https://id.acme.example"])
        #expect(acme.settings.clientIDs == ["web", "app"])
        #expect(acme.settings.scopes == ["openid", "profile", "email"] && acme.settings.usesPKCE)
        #expect(acme.linking == .confirm && acme.address == .verified)
        #expect(acme.redirectURL == "https://api.example.org/auth/v1/callback")
        guard case .pkceOnly = acme.settings.credential, case .discovered = acme.settings.endpoints else {
            Issue.record("\(acme.settings.endpoints)")
            return
        }
    }

    @Test("Every member")
    func everything() throws {
        let acme = try provider(
            with([
                "client_secret": "hidden", "scopes": ["openid", "email"], "linking": "confirm", "email_optional": true,
                "pkce": false, "redirect_uri": "https://api.example.org/back",
                "discovery_base": "https://login.acme.example/tenant", "authorization_parameters": ["prompt": "login"],
            ]))
        #expect(acme.settings.scopes == ["openid", "email"] && !acme.settings.usesPKCE)
        #expect(acme.settings.authorizationParameters == ["prompt": "login"])
        #expect(acme.linking == .confirm && acme.address == .none)
        #expect(acme.redirectURL == "https://api.example.org/back")
        guard case .secret(let secret) = acme.settings.credential, case .discovered(let base) = acme.settings.endpoints
        else {
            Issue.record("\(acme.settings.endpoints)")
            return
        }
        #expect(secret.matches(Secret("hidden")) && base.text == "https://login.acme.example/tenant")
    }

    @Test("Without secret and without PKCE only apps sign in")
    func neither() throws {
        #expect(try !provider(with(["pkce": false])).settings.offersBrowserSignIn)
    }

    @Test("Endpoints can be named, for providers without discovery document")
    func endpoints() throws {
        let acme = try provider(
            with(["endpoints": ["jwks": "https://a.example/keys", "token": "https://a.example/token"]]))
        guard case .fixed(let metadata) = acme.settings.endpoints else {
            Issue.record("\(acme.settings.endpoints)")
            return
        }
        #expect(metadata.keys?.text == "https://a.example/keys" && metadata.token?.text == "https://a.example/token")
        #expect(metadata.authorization == nil)
    }

    @Test(
        "Faults are reported by entry and member",
        arguments: [
            (#"{"name":"x"}"#, "expected a JSON array of objects"), ("[", "expected a JSON array of objects"),
            (#"[{"name":"acme","issuer":"https://a.example"}]"#, "entry 1: client_id is missing"),
            (
                #"[{"name":7,"issuer":"https://a.example","client_id":"a"}]"#,
                "entry 1: name expected a text that is not empty"
            ),
            (
                #"[{"name":"email","issuer":"https://a.example","client_id":"a"}]"#,
                "entry 1: name expected a name of a-z, 0-9, - and _ that is not one of the API's own, such as email"
            ),
            (
                #"[{"name":"google","issuer":"https://a.example","client_id":"a"}]"#,
                "entry 1: name is another provider's already"
            ),
            (
                #"[{"name":"a","issuer":"a.example","client_id":"a"}]"#,
                "entry 1: issuer expected a web address such as https://id.example.org"
            ),
            (
                #"[{"name":"a","issuer":"http://a.example","client_id":"a"}]"#,
                "entry 1: an address of it expected https; http is for loopback addresses, with "
                    + "GATEHOUSE_OUTGOING_LOOPBACK"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","client_secrte":"b"}]"#,
                "entry 1: client_secrte is not a member of it; did you mean client_secret?"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","scopes":"openid"}]"#,
                "entry 1: scopes expected an array of texts"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","pkce":"yes"}]"#,
                "entry 1: pkce expected true or false"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","linking":"always"}]"#,
                "entry 1: linking expected one of automatic, confirm, never"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","authorization_parameters":{"x":1}}]"#,
                "entry 1: authorization_parameters expected an object of texts"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","endpoints":{"token":"https://a.example"}}]"#,
                "entry 1: endpoints expected web addresses, jwks among them"
            ),
            (
                #"[{"name":"a","issuer":"https://a.example","client_id":"a","redirect_uri":"boxscore://a"}]"#,
                "entry 1: redirect_uri expected a web address"
            ),
        ])
    func wrong(text: String, sentence: String) {
        #expect(sentences(text) == [sentence])
    }

    @Test("A duplicate provider name is an error, and both entries' faults are reported")
    func twice() {
        let entry = Self.least.text
        #expect(sentences("[\(entry),\(entry)]") == ["entry 2: name is another provider's already"])
        #expect(sentences("[1,{}]").count == 4)
    }
}
