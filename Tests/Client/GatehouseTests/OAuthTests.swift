import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Access of apps and agents")
struct OAuthTests {
    private static let id = "a1b2c3d4-0000-4000-8000-000000000001"
    private static let user = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"

    private func response(_ json: AuthJSON) async throws -> OAuthAuthorizationDetailsResponse {
        let client = try await ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(json)]).signedIn()
        return try await client.authorizationDetails(id: try #require(OAuthAuthorizationID(Self.id)))
    }

    private func details(_ json: AuthJSON) async throws -> OAuthAuthorizationDetails? {
        if case .details(let details) = try await response(json) { details } else { nil }
    }

    @Test("A request has everything that the user should know")
    func ours() async throws {
        let details = try #require(
            await details([
                "authorization_id": .string(Self.id), "redirect_uri": "https://agent.example/callback",
                "client": [
                    "id": "https://agent.example/client.json", "name": "Scout", "uri": "https://www.agent.example",
                    "verified": true, "registration_type": "document", "host": "agent.example",
                    "created_at": "2026-01-01T00:00:00Z",
                ],
                "user": ["id": .string(Self.user), "email": "ada@example.org"], "scope": "email scores:read other",
                "scopes": [
                    ["name": "email", "description": "See your email address"],
                    ["name": "scores:read", "description": "Read your scores"],
                ],
                "resources": ["https://api.example.org/mcp"], "flow": "device",
                "requested_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-01T00:10:00Z",
                "requester": ["ip": "203.0.113.5", "user_agent": "curl/8.5.0"],
            ]))
        #expect(details.authorizationID.text == Self.id && details.flow == .device)
        #expect(details.client.isVerified && details.client.registrationType == .document)
        #expect(details.client.shownHost == "agent.example" && details.client.logoURI == nil)
        #expect(details.user.email == "ada@example.org" && details.user.id.uuidString.lowercased() == Self.user)
        // The server explains two of three; none is left out.
        #expect(details.scopes.map(\.name) == ["email", "scores:read", "other"])
        #expect(details.scopes.map(\.explanation) == ["See your email address", "Read your scores", nil])
        #expect(details.resources == ["https://api.example.org/mcp"])
        #expect(details.expiresAt?.timeIntervalSince(try #require(details.requestedAt)) == 600)
        #expect(details.requester?.ipAddress == "203.0.113.5" && details.requester?.device?.name == "curl")
    }

    @Test("The expected account is named if it is another one")
    func expected() async throws {
        for (members, expected) in [
            ([:], nil), (["expected_account": "b@example.org"], OAuthExpectedAccount(name: "b@example.org")),
            (["expected_account": "", "needs_other_account": true], OAuthExpectedAccount(name: nil, isRequired: true)),
            (["needs_other_account": true], OAuthExpectedAccount(name: nil, isRequired: true)),
            (["expected_account": 1], OAuthExpectedAccount(name: nil)), (["needs_other_account": false], nil),
        ] as [([String: AuthJSON], OAuthExpectedAccount?)] {
            let usual: [String: AuthJSON] = [
                "authorization_id": .string(Self.id), "client": ["id": "c", "name": "Scout"],
                "user": ["id": .string(Self.user)], "scope": "openid",
            ]
            let details = try #require(await details(.object(AuthJSONObject(usual.merging(members) { $1 }))))
            #expect(details.expectedAccount == expected, "\(members)")
        }
    }

    @Test("Supabase Auth says less, and its ids are no UUIDs")
    func supabase() async throws {
        let details = try #require(
            await details([
                "authorization_id": "abcdefghijklmnopqrstuvwxyz234567", "redirect_uri": "https://agent.example/cb",
                "client": ["id": .string(Self.id), "name": "Scout"],
                "user": ["id": .string(Self.user), "email": ""], "scope": "openid email",
            ]))
        #expect(details.authorizationID.text == "abcdefghijklmnopqrstuvwxyz234567" && details.flow == .redirect)
        #expect(!details.client.isVerified && details.client.shownHost == nil && details.client.createdAt == nil)
        #expect(details.scopes == [OAuthScope(name: "openid"), OAuthScope(name: "email")])
        #expect(details.expiresAt == nil && details.requester == nil && details.user.email == nil)
    }

    @Test("An earlier approval is the URL to open, or nothing for a device")
    func approved() async throws {
        let url = "https://agent.example/cb?code=c&state=s"
        let redirect = try #require(URL(string: url).flatMap(OAuthRedirect.init))
        #expect(try await response(["redirect_url": .string(url)]) == .redirect(redirect))
        #expect(try await response(["flow": "device", "status": "approved"]) == .approved)
        #expect(!"\(redirect)".contains("code=c") && !String(reflecting: redirect).contains("code=c"))
    }

    @Test(
        "A response without a client, a user or a safe URL is refused",
        arguments: [
            [:], ["authorization_id": "1"], ["redirect_url": "javascript:alert(1)"],
            ["redirect_url": "data:text/html,x"], ["redirect_url": "file:///etc/passwd"], ["redirect_url": 1],
            ["authorization_id": .string(id), "client": ["id": "c"]],
            ["authorization_id": .string(id), "user": ["id": .string(user)]],
        ] as [AuthJSON])
    func unreadable(_ json: AuthJSON) async throws {
        await #expect {
            _ = try await response(json)
        } throws: { error in
            if case AuthClientError.unexpectedAnswer = error { true } else { false }
        }
    }

    @Test(
        "Only addresses that run nothing are opened",
        arguments: [
            ("https://agent.example/cb?code=c", true), ("http://127.0.0.1:4711/cb", true),
            ("com.example.agent:/cb?code=c", true), ("JavaScript:alert(1)", false), ("data:text/html,x", false),
            ("FILE:///etc/passwd", false), ("blob:https://a.example/1", false), ("about:blank", false),
            ("vbscript:x", false), ("/cb?code=c", false),
        ])
    func redirects(_ text: String, _ isOpened: Bool) throws {
        #expect((OAuthRedirect(try #require(URL(string: text))) != nil) == isOpened)
    }

    @Test("A redirect of more than 16 KiB is refused")
    func longRedirect() throws {
        let start = "https://agent.example/?state="
        for (length, isOpened) in [(16_384, true), (16_385, false)] {
            let url = try #require(URL(string: start + String(repeating: "s", count: length - start.utf8.count)))
            #expect((OAuthRedirect(url) != nil) == isOpened)
        }
    }

    @Test("Grants are listed; members of other servers may be missing")
    func grants() async throws {
        let answer: AuthJSON = [
            [
                "client": ["id": "c", "name": "Scout"], "scopes": ["email"], "granted_at": "2026-01-01T00:00:00Z",
                "last_used_at": "2026-01-02T00:00:00Z", "resources": ["https://api.example.org/mcp"],
            ],
            ["client": ["id": "d", "name": ""], "granted_at": "2026-01-01T00:00:00Z"],
        ]
        let client = try await ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(answer)]).signedIn()
        let grants = try await client.oauthGrants()
        #expect(grants.map(\.id) == ["c", "d"] && grants.map(\.client.shownName) == ["Scout", "d"])
        #expect(grants.map(\.scopes) == [["email"], []] && grants[0].resources == ["https://api.example.org/mcp"])
        #expect(grants[0].lastUsedAt != nil && grants[1].lastUsedAt == nil)
    }

    @Test("A session of an app has the app's name")
    func session() async throws {
        let session: AuthJSON = ["id": .string(Self.id), "created_at": "2026-01-01T00:00:00Z"]
        var other = session.objectValue ?? [:]
        other["oauth_client"] = ["id": "c", "name": "Sc\u{202E}out"]
        let client = try await ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(["sessions": [session, .object(other)]]),
        ]).signedIn()
        #expect(try await client.sessions().map { $0.oauthClient?.shownName } == [nil, "Scout"])
    }

    @Test("Whether a server takes requests is known only from our server")
    func settings() async throws {
        for (json, has) in [
            (["external": [:]], nil), (["external": [:], "oauth_server_enabled": true], true),
            (["external": [:], "oauth_server_enabled": false], false),
        ] as [(AuthJSON, Bool?)] {
            #expect(try await ScriptedAnswers([ScriptedAnswers.json(json)]).client().settings().hasOAuthServer == has)
        }
    }
}

@Suite("Links to requests for access")
struct OAuthLinkTests {
    private static let id = "a1b2c3d4-0000-4000-8000-000000000001"

    private static func authorization(_ text: String = id) -> OAuthConsentLink? {
        OAuthAuthorizationID(text).map(OAuthConsentLink.authorization)
    }

    private static let device = OAuthUserCode("BCDFGHJK").map(OAuthConsentLink.device)

    @Test(
        "A link has one id or one code, whatever its scheme, host and path",
        arguments: [
            ("https://app.example/oauth/consent?authorization_id=\(id)", authorization()),
            ("com.example.app://auth-callback?authorization_id=\(id.uppercased())", authorization()),
            ("com.example.app:/x?a=b&authorization_id=\(id)#top", authorization()),
            (
                "https://a.example/oauth?authorization_id=abcdefghijklmnopqrstuvwxyz234567",
                authorization("abcdefghijklmnopqrstuvwxyz234567")
            ),
            ("https://a.example/device?user_code=BCDF-GHJK", device),
            ("https://a.example/device?user_code=bcdf+ghjk", device),
            ("https://a.example/device?user_code=bcdf%20ghjk", device),
            ("https://a.example/device?user_code=BCDF%E2%80%93GHJK", device),
            ("https://a.example/oauth", nil), ("https://a.example/oauth?authorization_id=", nil),
            ("https://a.example/oauth?authorization_id=1", nil),
            ("https://a.example/oauth?authorization_id=..%2F\(id)", nil),
            ("https://a.example/oauth?authorization_id=\(id)%00", nil),
            ("https://a.example/oauth#authorization_id=\(id)", nil),
            ("https://a.example/oauth?Authorization_Id=\(id)", nil),
            ("https://a.example/oauth?authorization_id=\(id)&authorization_id=\(id)", nil),
            ("https://a.example/oauth?authorization_id=\(id)&user_code=BCDF-GHJK", nil),
            ("https://a.example/oauth?authorization_id=\(id)&user_code=", nil),
            // Answers to a sign-in.
            ("com.example.app://callback?code=c&authorization_id=\(id)", nil),
            ("com.example.app://callback?error=access_denied&user_code=BCDFGHJK", nil),
            ("https://a.example/device?user_code=BCDFG", nil),
            ("https://a.example/device?user_code=BCDFGHJKBCDFGHJKB", nil),
            ("https://a.example/device?user_code=BCDF%2FGHJK", nil),
            ("https://a.example/device?user_code=BCDF%ZZGHJK", nil),
            ("https://a.example/device?user_code=%D0%91CDFGHJK", nil),
        ] as [(String, OAuthConsentLink?)])
    func links(_ text: String, _ link: OAuthConsentLink?) throws {
        #expect(OAuthConsentLink(try #require(URL(string: text))) == link)
    }

    @Test("A link of more than 2,048 bytes is none")
    func long() throws {
        let link = "https://a.example/oauth?authorization_id=\(Self.id)&x="
        for (length, isLink) in [(2_048, true), (2_049, false)] {
            let url = try #require(URL(string: link + String(repeating: "x", count: length - link.utf8.count)))
            #expect((OAuthConsentLink(url) != nil) == isLink)
        }
    }

    @Test("A push message has an id")
    func payloads() {
        let payload: [AnyHashable: Any] = ["aps": ["alert": "x"], "authorization_id": Self.id]
        #expect(OAuthConsentLink(payload: payload) == Self.authorization())
        for payload in [
            [:], ["authorization_id": 1], ["authorization_id": ""], ["authorization_id": "BCDF-GHJK"],
            ["authorization_id": [Self.id]], ["user_code": "BCDF-GHJK"],
            ["authorization_id": String(repeating: "a", count: 5_000)],
        ] as [[AnyHashable: Any]] {
            #expect(OAuthConsentLink(payload: payload) == nil)
        }
    }

    @Test("A code is shown in groups, in capitals")
    func codes() {
        #expect(OAuthUserCode(" bcdf ghjk ")?.text == "BCDF-GHJK")
        #expect(OAuthUserCode("b-c-d-f-g-h")?.text == "BCDF-GH")
        #expect(OAuthUserCode(String(repeating: " ", count: 57) + "BCDFGHJK") == nil)
    }

    @Test("A client's claims cannot disturb the text around them, and a look-alike host stays recognizable")
    func claims() {
        var client = OAuthAuthorizationClient(id: "c", name: "\u{202E}Bank\n\u{0}", uri: "https://bank.example")
        #expect(client.shownName == "Bank" && client.shownHost == "bank.example")
        client.name = String(repeating: "n", count: 200)
        #expect(client.shownName.count == 64)
        client.name = " \u{200F}"
        #expect(client.shownName == "bank.example")
        client.host = "xn--bnk-rma.example"
        #expect(client.shownHost == "xn--bnk-rma.example")
        (client.host, client.uri) = ("bank.example@evil.example", "javascript:x")
        #expect(client.shownHost == nil && client.shownName == "c")
    }
}
