import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import SQLDatabase
import TestSupport
import Testing

/// An app's proof key and its verifier.
enum AppKey {
    static let verifier = "a-verifier-of-more-than-forty-three-characters-0001"
    static let query = "code_challenge=xCQLDnsvQE3aYFg46AmNN8eBcY1SOEkfclHh_2vn254&code_challenge_method=s256"
}

extension TestServer {
    func authorizePath(_ provider: String, to target: String = "myapp://callback") -> String {
        "/auth/v1/authorize?provider=\(provider)&redirect_to=\(FormText.escape(target))&\(AppKey.query)"
    }

    func redeem(_ code: String?, verifier: String = AppKey.verifier) async throws -> TestAnswer {
        try await send(
            .post, "/auth/v1/token?grant_type=pkce",
            json: ["auth_code": .string(code ?? ""), "code_verifier": .string(verifier)])
    }

    /// From the app's first step to its session.
    func signIn(
        with provider: String, as person: String = "verified", email: String? = nil, in browser: TestBrowser? = nil
    ) async throws -> TestAnswer {
        let back = try await (browser ?? TestBrowser(self)).signIn(
            authorizePath(provider), as: person, email: email)
        return try await redeem(back.query["code"])
    }
}

@Suite("Sign-in through a provider, in a browser")
struct BrowserFlowTests {
    @Test(
        "D2, D3: Google and Apple (by form post) lead to a session and to a profile with the name",
        arguments: ["google", "apple"])
    func signIn(_ provider: String) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let back = try await browser.signIn(server.authorizePath(provider), as: "verified")
            #expect(back.status == 302)
            #expect(back.location?.hasPrefix("myapp://callback?code=") == true)
            #expect(back.headers[.cacheControl] == "no-store")
            let answer = try await server.redeem(back.query["code"])
            let session = try #require(TestSession(answer), "\(answer)")
            #expect(answer["user"]?["email"] == "verified@example.com")
            #expect(answer["user"]?["app_metadata"]?["provider"]?.stringValue == provider)
            #expect(answer["provider_token"]?.stringValue?.isEmpty == false)
            #expect(answer["provider_refresh_token"]?.stringValue?.isEmpty == false || provider == "google")
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me["profile"]?["first_name"] == "Verified")
            #expect(me["user"]?["email"] == "verified@example.com")
            #expect(try await server.redeem(back.query["code"]).code == "flow_state_not_found")
        }
    }

    @Test("D2: The name that Apple posts once is stored, and the second sign-in finds the same account")
    func appleName() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let first = try await server.signIn(with: "apple")
            #expect(first["user"]?["user_metadata"]?["full_name"] == "Verified Example")
            let second = try await server.signIn(with: "apple")
            #expect(second["user"]?["id"] == first["user"]?["id"])
            #expect(second["user"]?["user_metadata"]?["full_name"] == "Verified Example")
        }
    }

    @Test("A wrong verifier gets nothing and consumes nothing; a code expires after five minutes")
    func codes() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let back = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "verified")
            let code = back.query["code"]
            let wrong = String(repeating: "w", count: 43)
            #expect(try await server.redeem(code, verifier: wrong).code == "bad_code_verifier")
            server.clock.advance(by: .seconds(300))
            #expect(try await server.redeem(code).code == "flow_state_expired")
            #expect(try await server.redeem("nonsense").code == "flow_state_not_found")
            #expect(try await server.redeem(nil).code == "validation_failed")
        }
    }

    @Test("CSRF: another browser can neither use nor consume the response of a flow (RFC 9700 §4.7)")
    func crossSite() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let attacker = TestBrowser(server)
            let start = try await attacker.open(server.authorizePath("google"))
            let (_, address, _) = try await attacker.comeBack(as: "verified", at: start.location ?? "")
            let victim = TestBrowser(server)
            for _ in 0..<2 {
                let led = try await victim.open(address)
                #expect(led.status == 303)
                #expect(led.location?.hasPrefix("https://app.example.org?error=invalid_request") == true)
                #expect(led.query["error_code"] == "bad_oauth_state")
                // Its own cookie makes it another browser.
                _ = try await victim.open(server.authorizePath("google"))
            }
            #expect(try await attacker.open(address).query["code"] != nil)
        }
    }

    @Test("Replay: a state is valid once, for five minutes")
    func replay() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let start = try await browser.open(server.authorizePath("google"))
            let (_, address, _) = try await browser.comeBack(as: "verified", at: start.location ?? "")
            #expect(try await browser.open(address).query["code"] != nil)
            let again = try await browser.open(address)
            #expect(again.status == 303)
            #expect(again.query["error_code"] == "flow_state_already_used")
            let late = try await browser.open(server.authorizePath("google"))
            let (_, lateAddress, _) = try await browser.comeBack(as: "verified", at: late.location ?? "")
            server.clock.advance(by: .seconds(300))
            #expect(try await browser.open(lateAddress).query["error_code"] == "bad_oauth_state")
        }
    }

    @Test("Mix-up: a response that names another provider, or arrives at another's URL, is refused (RFC 9207)")
    func mixUp() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            func answer() async throws -> String {
                let start = try await browser.open(server.authorizePath("google"))
                return try await browser.comeBack(as: "verified", at: start.location ?? "").address
            }
            let issuer = FormText.escape(server.standIns?.registration.google.issuer ?? "")
            let foreign = try await answer().replacing(issuer, with: "https%3A%2F%2Fevil.example")
            let refused = try await browser.open(foreign)
            #expect(refused.query["error"] == "server_error")
            #expect(refused.query["code"] == nil)
            #expect(refused.location?.hasPrefix("myapp://callback?") == true)
            let elsewhere = try await answer().replacing("/callback?", with: "/callback/apple?")
            #expect(try await browser.open(elsewhere).query["error_code"] == "bad_oauth_state")
            let own = try await answer().replacing("/callback?", with: "/callback/google?")
            #expect(try await browser.open(own).query["code"] != nil)
        }
    }

    @Test("Code injection: the code of another sign-in does not fit the flow's proof key and nonce (RFC 9700 §4.5)")
    func codeInjection() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            for provider in ["google", "apple"] {
                let (victim, attacker) = (TestBrowser(server), TestBrowser(server))
                let stolenStart = try await victim.open(server.authorizePath(provider))
                let stolen = try await victim.comeBack(as: "verified", at: stolenStart.location ?? "")
                let start = try await attacker.open(server.authorizePath(provider))
                var own = try await attacker.comeBack(as: "existing", email: "e@example.com", at: start.location ?? "")
                let code = stolen.form?.first { $0.0 == "code" }?.1 ?? stolen.address.parameter("code")
                own.address = own.address.replacing(own.address.parameter("code") ?? "none", with: code ?? "")
                own.form = own.form?.map { $0.0 == "code" ? ("code", code ?? "") : $0 }
                let refused = try await attacker.open(own.method, own.address, form: own.form)
                #expect(refused.query["code"] == nil, "\(provider)")
                #expect(refused.query["error"] == "server_error", "\(provider)")
            }
            #expect(try await server.count("users") == 0)
        }
    }

    @Test(
        "Open redirect: a URL that is not on the list byte for byte leads to the site",
        arguments: [
            "https://evil.example/cb", "https://app.example.org/cb2", "https://app.example.org.evil.example/cb",
            "https://app.example.org@evil.example/cb", "myapp://callback/", "myapp://Callback", "javascript:alert(1)",
            "//evil.example", "https://app.example.org/cb?x=1", "\\\\evil.example",
        ])
    func openRedirect(_ target: String) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let back = try await TestBrowser(server).signIn(
                server.authorizePath("google", to: target), as: "verified")
            #expect(back.location?.hasPrefix("https://app.example.org?code=") == true, "\(back)")
        }
    }

    @Test(
        "Pitfall 12: A redirect with a query keeps it byte for byte",
        arguments: [
            ("myapp://callback/x?z=a%2Fb&a=%C3%A9+%20", "&"), ("myapp://callback/x", "?"), ("myapp://callback/x?", ""),
            ("myapp://callback/x?&&z", "&"), ("myapp://callback/x?z&", ""), ("myapp://callback/x?next=/a?b=c&b", "&"),
        ])
    func redirectQuery(_ target: String, _ separator: String) async throws {
        try await TestServer.with(
            providers: TestProviders(),
            change: { $0.redirects = RedirectAllowList(siteURL: "https://app.example.org", entries: [target]) }
        ) { server in
            let back = try await TestBrowser(server).signIn(server.authorizePath("google", to: target), as: "verified")
            let code = try #require(back.query["code"])
            #expect(back.location == "\(target)\(separator)code=\(code)")
        }
    }
}

extension TestServer {
    /// Rows of a table.
    func count(_ table: String) async throws -> Int {
        let statement: SQL =
            switch "\(table)" {
            case "users": "SELECT count(*) FROM users"
            case "flow_states": "SELECT count(*) FROM flow_states"
            case "used_id_tokens": "SELECT count(*) FROM used_id_tokens"
            default: "SELECT count(*) FROM provider_tokens"
            }
        return try await database.read { db in try db.row(statement) { Int($0.int()) } ?? 0 }
    }
}

extension String {
    func parameter(_ name: String) -> String? {
        let query = split(separator: "?", maxSplits: 1).last ?? ""
        return query.split(separator: "&").first { $0.hasPrefix(name + "=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }
}
