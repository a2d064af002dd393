import GatehouseWire
import Testing

@testable import AccountDomain

@Suite("What OAuth clients may name")
struct OAuthClientTests {
    private func client(_ redirectURIs: [String], isPublic: Bool = true) -> OAuthClient {
        var metadata = OAuthClientMetadata(name: "Agent", redirectURIs: redirectURIs)
        metadata.authentication = isPublic ? .none : .basic
        return OAuthClient(
            id: OAuthClientID(random: [UInt8](repeating: 7, count: 16)), registration: .manual, metadata: metadata,
            isVerified: true, createdAt: Instant(seconds: 0))
    }

    @Test("Addresses are compared as bytes, but for the port of a public client on the user's machine")
    func redirects() {
        let web = client(["https://agent.example/back?a=1"])
        #expect(web.mayReceive(at: "https://agent.example/back?a=1"))
        for other in [
            "https://agent.example/back", "https://agent.example:443/back?a=1", "https://AGENT.example/back?a=1",
            "https://agent.example/back?a=1&b=2", "https://agent.example/back/?a=1", "",
        ] {
            #expect(!web.mayReceive(at: other))
        }
        let local = client(["http://127.0.0.1/back"])
        #expect(local.mayReceive(at: "http://127.0.0.1:53219/back"))
        for other in [
            "http://127.0.0.1:53219/", "http://localhost/back", "https://127.0.0.1/back", "http://127.0.0.2/back",
        ] {
            #expect(!local.mayReceive(at: other))
        }
        #expect(!client(["http://127.0.0.1/back"], isPublic: false).mayReceive(at: "http://127.0.0.1:53219/back"))
    }

    @Test(
        "Only addresses that one client can receive are registered",
        arguments: [
            ("https://agent.example/back", true), ("http://127.0.0.1:8000/back", true), ("http://[::1]/", true),
            ("org.example.agent:/back", true), ("agent://back", true), ("http://agent.example/back", false),
            ("https://agent.example/#a", false), ("javascript:alert(1)", false), ("data:text/html,a", false),
            ("https://user@agent.example/", false), ("https://agent.example/\u{202E}", false), ("agent:back", false),
            ("https://1.2.3.08/", false), ("", false), ("//agent.example/", false),
        ])
    func registered(_ text: String, _ isGood: Bool) {
        #expect(OAuthClientMetadata.isRedirectURI(text) == isGood)
    }

    @Test("A remembered consent answers only where nobody else can receive the code")
    func known() {
        #expect(client([]).isKnown(by: "https://agent.example/back"))
        #expect(!client([]).isKnown(by: "http://127.0.0.1/back"))
        #expect(!client([]).isKnown(by: "agent://back"))
        #expect(client([], isPublic: false).isKnown(by: "agent://back"))
    }

    @Test("Scopes are names without duplicates, in a bounded number")
    func scopes() throws {
        let scopes = try #require(OAuthScopes("openid  email openid scores:read"))
        #expect(scopes.names == ["openid", "email", "scores:read"])
        #expect(scopes.covers(OAuthScopes(trusted: ["email"])) && !scopes.covers(OAuthScopes(trusted: ["phone"])))
        #expect(scopes.joined(with: OAuthScopes(trusted: ["email", "phone"])).text == "openid email scores:read phone")
        #expect(OAuthScopes("")?.names == [])
        for bad in ["a\"b", "a\\b", "é", "a\tb", "a\0", (0...32).map { "s\($0)" }.joined(separator: " ")] {
            #expect(OAuthScopes(bad) == nil)
        }
        #expect(OAuthScopes(String(repeating: "a", count: OAuthScopes.mostBytes + 1)) == nil)
    }

    @Test("Metadata and requests are read back as they were stored")
    func stored() throws {
        var metadata = OAuthClientMetadata(name: "Agent", redirectURIs: ["https://agent.example/back"])
        (metadata.uri, metadata.authentication) = ("https://agent.example", .post)
        (metadata.grants, metadata.scopes) = ([.deviceCode], OAuthScopes("email"))
        let read = OAuthClientMetadata(stored: try JSONReader.read(metadata.json.text))
        #expect(read.json == metadata.json && read.grants == [.deviceCode] && read.scopes?.text == "email")
        var request = OAuthRequest(scopes: OAuthScopes(trusted: ["openid"]))
        (request.state, request.nonce, request.maximumAge) = ("s", "n", 60)
        (request.resources, request.prompts) = (["https://api.example.org"], ["login"])
        request.key = ProofKey(challenge: String(repeating: "c", count: 43), method: "S256")
        let again = OAuthRequest(stored: try JSONReader.read(request.json.text))
        #expect(again.json == request.json && again.key == request.key && again.asksSignIn)
    }

    @Test("A request for a recent sign-in is satisfied by one, and by no other time")
    func freshness() {
        let (begun, now) = (Instant(seconds: 1_000), Instant(seconds: 1_030))
        var request = OAuthRequest(scopes: OAuthScopes(trusted: ["openid"]))
        #expect(request.isSatisfied(bySignInAt: nil, begun: begun, at: now))
        request.prompts = ["login"]
        #expect(!request.isSatisfied(bySignInAt: nil, begun: begun, at: now))
        #expect(!request.isSatisfied(bySignInAt: Instant(seconds: 999), begun: begun, at: now))
        #expect(request.isSatisfied(bySignInAt: begun, begun: begun, at: now))
        (request.prompts, request.maximumAge) = ([], 60)
        #expect(request.isSatisfied(bySignInAt: Instant(seconds: 970), begun: begun, at: now))
        #expect(!request.isSatisfied(bySignInAt: Instant(seconds: 969), begun: begun, at: now))
    }

    @Test("A device's code is typed in any case, with spaces and hyphens")
    func userCodes() throws {
        let code = try #require(UserCode.make([240, 255, 0, 1, 2, 3, 4, 5, 6, 239]))
        #expect(code == "BCDFGHJZ" && UserCode.shown(code) == "BCDF-GHJZ")
        #expect(UserCode.read(" bcdf ghjz ") == code && UserCode.read("BCDF-GHJZ") == code)
        #expect(UserCode.make([UInt8](repeating: 250, count: 40)) == nil)
        for bad in ["BCDF-GHJ", "BCDF-GHJA", "BCDF-GHJZZ", "", String(repeating: " ", count: 40) + "BCDFGHJZ"] {
            #expect(UserCode.read(bad) == nil)
        }
    }
}
