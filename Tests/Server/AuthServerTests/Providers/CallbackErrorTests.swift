import AccountDomain
import AccountStore
import AuthServer
import DevStack
import GatehouseWire
import HTTPServing
import HTTPTypes
import IdentityProviders
import SQLDatabase
import TestSupport
import Testing

@Suite("Provider errors in the app")
struct CallbackErrorTests {
    @Test("Cancellation, in query and fragment, with the provider's own error", arguments: ["google", "apple"])
    func cancelled(_ provider: String) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let back = try await TestBrowser(server).signIn(server.authorizePath(provider), as: "cancels")
            #expect(back.status == 302)
            #expect(back.location?.hasPrefix("myapp://callback?error=") == true)
            #expect(back.query["error_code"] == nil)
            #expect(back.query["error"] == (provider == "apple" ? "user_cancelled_authorize" : "access_denied"))
            #expect(back.fragment["error"] == back.query["error"])
            #expect(back.fragment["sb"] == "")
        }
    }

    @Test(
        "A disabled provider is distinguished from an unknown one",
        arguments: [
            ("google", "provider is not enabled"), ("GitHub", "provider is not enabled"),
            ("x", "provider is not enabled"),
            ("nobody", "Provider nobody could not be found"), ("", "Provider  could not be found"),
        ])
    func providerOff(_ provider: String, _ problem: String) async throws {
        try await TestServer.with { server in
            let refused = try await server.send(.get, "/auth/v1/authorize?provider=\(provider)")
            #expect(refused.status == 400 && refused.code == "validation_failed")
            #expect(refused["message"] == .string("Unsupported provider: \(problem)"))
        }
    }

    @Test("E7: An unavailable provider and an invalid response of one show no internal text")
    func providerTroubles() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let down = try await browser.signIn(server.authorizePath("google"), as: "provider-error")
            #expect(down.query["error"] == "temporarily_unavailable")
            #expect(down.query["error_code"] == "unexpected_failure")
            #expect(down.query["error_description"]?.contains("503") == false)
            let nonce = try await browser.signIn(server.authorizePath("google"), as: "wrong-nonce")
            #expect(nonce.query["error"] == "server_error")
            #expect(nonce.query["error_description"] == nonce.fragment["error_description"])
            #expect(try await server.count("users") == 0)
        }
    }

    @Test("The log shows four characters of a code that the provider does not know")
    func unknownCode() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let start = try await browser.open(server.authorizePath("google"))
            let state = start.location?.parameter("state") ?? ""
            let issuer = FormText.escape(server.standIns?.registration.google.issuer ?? "")
            let callback = "/auth/v1/callback?state=\(state)&iss=\(issuer)&code=badcode"
            let back = try await browser.open(callback)
            #expect(back.query["error_description"] == "Unable to exchange external code: badc")
        }
    }

    @Test(
        "A database failure returns the browser to the app and is counted once", arguments: TestDatabase.all)
    func databaseFails(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let start = try await browser.open(server.authorizePath("google"))
            let (_, address, _) = try await browser.comeBack(as: "verified", at: start.location ?? "")
            _ = try await server.database.write { db in try db.run("DROP TABLE authorization_codes") }
            let back = try await browser.open(address)
            #expect(back.status == 302)
            #expect(
                back.location?.hasPrefix("myapp://callback?error=server_error&error_code=unexpected_failure") == true)
            #expect(back.query["error_description"]?.contains("authorization_codes") == false)
            let counted = server.metrics.render().split(separator: "\n").filter {
                $0.hasPrefix("gatehouse_sign_ins_total") && $0.contains("google")
            }
            #expect(counted == [#"gatehouse_sign_ins_total{method="google",outcome="unexpected_failure"} 1"#])
        }
    }

    @Test("Without a state, with an invalid state, and without a code")
    func incomplete() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let browser = TestBrowser(server)
            let missing = try await browser.open("/auth/v1/callback")
            #expect(missing.status == 303)
            #expect(missing.query["error_code"] == "bad_oauth_callback")
            #expect(missing.fragment.isEmpty)
            for state in ["x", "00000000-0000-4000-8000-000000000000", "%00", "'"] {
                let answer = try await browser.open("/auth/v1/callback?code=x&state=\(state)")
                #expect(answer.query["error_code"] == "bad_oauth_state", "\(state)")
            }
            let start = try await browser.open(server.authorizePath("google"))
            let state = start.location?.parameter("state") ?? ""
            let noCode = try await browser.open("/auth/v1/callback?state=\(state)")
            #expect(noCode.status == 302)
            #expect(noCode.query["error_code"] == "bad_oauth_callback")
            #expect(noCode.fragment["error_code"] == "bad_oauth_callback")
        }
    }

    @Test("A disabled sign-up and a banned account have their own errors")
    func denied() async throws {
        try await TestServer.with(providers: TestProviders(), change: { $0.allowsSignUp = false }) { server in
            let back = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "verified")
            #expect(back.query["error"] == "access_denied")
            #expect(back.query["error_code"] == "signup_disabled")
        }
        try await TestServer.with(providers: TestProviders()) { server in
            let session = try #require(TestSession(try await server.signIn(with: "google")))
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["ban_duration": "1h"])
            let back = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "verified")
            #expect(back.query["error_code"] == "user_banned")
        }
    }

    @Test("Required addresses: missing and unverified ones")
    func addresses() async throws {
        try await TestServer.with(providers: TestProviders(address: .verified)) { server in
            let missing = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "no-address")
            #expect(missing.query["error_code"] == "unexpected_failure")
            let unverified = try await TestBrowser(server).signIn(server.authorizePath("google"), as: "unverified")
            #expect(unverified.query["error"] == "access_denied")
            #expect(unverified.query["error_code"] == "provider_email_needs_verification")
        }
        try await TestServer.with(providers: TestProviders()) { server in
            for person in ["no-address", "unverified"] {
                let answer = try await server.signIn(with: "google", as: person)
                #expect(answer["user"]?["email"] == "")
            }
        }
    }
}

@Suite("GET /authorize")
struct AuthorizeTests {
    @Test(
        "A request that cannot begin is answered in JSON, and nothing is stored",
        arguments: [
            ("", "validation_failed"), ("provider=nope&\(AppKey.query)", "validation_failed"),
            ("provider=google", "validation_failed"),
            ("provider=google&code_challenge=short&code_challenge_method=s256", "validation_failed"),
            (
                "provider=google&code_challenge=\(AppKey.verifier)&code_challenge_method=plain",
                "validation_failed"
            ),
            ("provider=google&invite_token=x&\(AppKey.query)", "user_not_found"),
        ])
    func refused(_ query: String, _ code: String) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let answer = try await server.send(.get, "/auth/v1/authorize?\(query)")
            #expect(answer.code == code)
            #expect(answer.headers[.setCookie] == nil)
            #expect(try await server.count("flow_states") == 0)
        }
    }

    @Test("Extra parameters are passed on, except those of the server itself")
    func parameters() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let answer = try await server.send(
                .get,
                "/auth/v1/authorize?provider=Google&\(AppKey.query)&login_hint=a%40b.c&client_id=evil&state=evil"
                    + "&redirect_uri=evil&nonce=evil&scopes=calendar")
            let location = try #require(answer.location)
            #expect(location.parameter("login_hint") == "a%40b.c")
            #expect(!location.contains("evil"))
            #expect(location.parameter("scope") == "openid+email+profile+calendar")
            #expect(location.parameter("code_challenge_method") == "S256")
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"))
        }
    }

    @Test("Over https the cookie is bound to this host and comes with Apple's form post")
    func cookie() async throws {
        try await TestServer.with(
            providers: TestProviders(), change: { $0.externalURL = "https://api.example.org/auth/v1" }
        ) { server in
            let answer = try await server.send(.get, server.authorizePath("apple"))
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-gatehouse-browser="))
            #expect(cookie.hasSuffix("; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=None"))
        }
    }

    @Test("A request under another name of the machine redirects to the host of the cookie")
    func otherName() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let path = server.authorizePath("google")
            let answer = try await server.send(.get, path, authority: "localhost:9999")
            #expect(answer.location == TestServer.external + path)
            #expect(answer.headers[.setCookie] == nil)
            for same in ["127.0.0.1:9999", "localhost:1", "api.example.org", "localhost:9999@evil.example"] {
                let stays = try await server.send(.get, path, authority: same)
                #expect(stays.headers[.setCookie] != nil, "\(same)")
            }
        }
    }

    @Test("The implicit flow and plain proof keys need their settings")
    func switches() async throws {
        try await TestServer.with(
            providers: TestProviders(),
            change: {
                $0.allowsImplicitFlow = true
                $0.allowsPlainProofKeys = true
            }
        ) { server in
            let back = try await TestBrowser(server).signIn("/auth/v1/authorize?provider=google", as: "verified")
            #expect(back.location?.hasPrefix("https://app.example.org#access_token=") == true)
            #expect(back.fragment["token_type"] == "bearer")
            #expect(back.fragment["expires_in"] == "3600")
            #expect(try await server.refresh(back.fragment["refresh_token"] ?? "").status == 200)
            let plain = "code_challenge=\(AppKey.verifier)&code_challenge_method=plain"
            let code = try await TestBrowser(server).signIn(
                "/auth/v1/authorize?provider=google&\(plain)", as: "verified"
            ).query["code"]
            #expect(try await server.redeem(code).status == 200)
        }
    }

    @Test("A failed discovery shows no internal text; new flows are limited")
    func outage() async throws {
        try await TestServer.with(limits: AuthRates(), providers: TestProviders()) { server in
            server.wire.fail(.noConnection)
            let answer = try await server.send(.get, server.authorizePath("google"))
            #expect(answer.status == 400)
            #expect(answer.code == "validation_failed")
            server.wire.fail(nil)
            for _ in 0..<29 { _ = try await server.send(.get, server.authorizePath("google")) }
            #expect(try await server.send(.get, server.authorizePath("google")).code == "over_request_rate_limit")
        }
    }

    @Test("Settings list the enabled providers")
    func settings() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let external = try await server.send(.get, "/auth/v1/settings")["external"]
            #expect(external?["google"] == true)
            #expect(external?["apple"] == true)
            #expect(external?["github"] == false)
        }
    }
}
