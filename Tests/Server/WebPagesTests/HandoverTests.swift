import AccountDomain
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing in here for an app")
struct HandoverTests {
    // RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let start =
        "/auth/v1/authorize?code_challenge=\(challenge)&code_challenge_method=s256&redirect_to=myapp://callback"

    private func code(_ browser: WebBrowser) throws -> AuthJSON {
        let onward = try #require(WebPage.between("0;url=", "\"", in: browser.page.text).first)
        #expect(onward.hasPrefix("myapp://callback?code="))
        return .string(String(onward.split(separator: "=").last ?? ""))
    }

    @Test("authorize without a provider leads here, and a sign-in back to the app with a code")
    func signIn() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            #expect(browser.page.title == "Sign In")
            try await browser.press("Sign In", SignInPageTests.person)
            let grant: AuthJSON = ["auth_code": try code(browser), "code_verifier": .string(Self.verifier)]
            let session = try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant)
            #expect(session["user"]?["email"] == "ada@example.com")
            #expect(try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant).status == 404)
            // The browser stays signed in, with its own session.
            try await browser.open("/account/devices")
            #expect(browser.page.text.contains("Sign Out All Other Devices"))
        }
    }

    @Test("Who is signed in already is asked first")
    func question() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open(Self.start)
            #expect(browser.page.text.contains("Continue as"))
            #expect(browser.page.text.contains("myapp:"))
            #expect(!browser.page.text.contains("code="))
            try await browser.press("Continue")
            _ = try code(browser)
        }
    }

    @Test("A sign-in that began before the app's request does not lead to the app without a question")
    func otherSignIn() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            let form = try #require(browser.page.forms.first { $0.button == "Sign In" })
            // Another tab, opened by another site.
            try await browser.open(Self.start)
            let person = SignInPageTests.person.map { (name: $0.key, value: $0.value) }
            try await browser.send(form.action, form.fields.filter { $0.name == "form" } + person)
            #expect(browser.page.text.contains("Continue as"))
            #expect(!browser.page.text.contains("code="))

            let other = WebBrowser(server)
            try await other.click("/account/provider/google")
            let provider = other.page.headers[.location] ?? other.page.path
            try await other.open(Self.start)
            try await other.send(provider, [("person", "verified")], headers: [:])
            #expect(other.page.text.contains("Continue as"))
            #expect(!other.page.text.contains("code="))
        }
    }

    @Test("A sign-in through a provider, begun for the app, leads to it")
    func provider() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            #expect(browser.page.text.contains("myapp:"))
            let link = try #require(
                WebPage.between("href=\"", "\"", in: browser.page.text).first { $0.contains("/provider/google") })
            try await browser.click(link)
            try await browser.choose("verified")
            _ = try code(browser)
        }
    }

    @Test(
        "Another site does not begin a sign-in through a provider", arguments: [nil, "cross-site", "same-site", "none"])
    func foreignStart(site: String?) async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            var headers: HTTPFields = [:]
            headers[.fetchSite] = site
            try await browser.open("/account/provider/google", headers: headers)
            #expect(browser.page.title == "Sign in with Google")
            #expect(browser.page.headers[.location] == nil)
            try await browser.press("Continue")
            let onward = try #require(WebPage.between("0;url=", "\"", in: browser.page.text).first)
            try await browser.open(onward.replacing("&amp;", with: "&").replacing(WebBrowser.origin, with: ""))
            try await browser.choose("verified")
            #expect(browser.page.title == "Account")
        }
    }

    @Test("Each page that a sign-in for an app begins at names the app")
    func named() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true, change: SignInPageTests.withMail) {
            server in
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            for path in ["sign-in", "sign-up", "sign-in/code", "forgot-password", "provider/google"] {
                try await browser.open("/account/\(path)")
                #expect(browser.page.text.contains("You'll continue to myapp:."), "\(path)")
            }
        }
    }

    @Test("A link that another site made for an app does not begin a sign-in for it")
    func foreignLink() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            let link = try #require(
                WebPage.between("href=\"", "\"", in: browser.page.text).first { $0.contains("/provider/google") })
            let other = WebBrowser(server)
            try await other.open(link)
            #expect(!other.page.text.contains("myapp:"))
            try await other.press("Continue")
            let onward = try #require(WebPage.between("0;url=", "\"", in: other.page.text).first)
            try await other.open(onward.replacing("&amp;", with: "&").replacing(WebBrowser.origin, with: ""))
            let provider = other.page.path
            try await other.open(Self.start)
            try await other.send(provider, [("person", "verified")], headers: [:])
            #expect(other.page.text.contains("Continue as"))
            #expect(!other.page.text.contains("code="))
        }
    }

    @Test(
        "Another site that leads to the callback does not end a sign-in", arguments: ["error=access_denied", "code=x"])
    func foreignCallback(query: String) async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.click("/account/provider/google")
            let provider = browser.page.path
            try await browser.open("/account/callback?\(query)")
            try await browser.send(provider, [("person", "verified")], headers: [:])
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A request that is malformed or too long for a cookie gets a page that says so, and changes nothing")
    func malformed() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open(Self.start)
            let long = "myapp://callback?" + String(repeating: "a", count: 1_024)
            for query in [
                "code_challenge=abc&redirect_to=myapp://callback",
                "code_challenge=\(Self.challenge)%20&redirect_to=myapp://callback",
                "code_challenge=\(String(repeating: "a", count: 129))&redirect_to=myapp://callback",
                "code_challenge=\(Self.challenge)&code_challenge_method=md5&redirect_to=myapp://callback",
                "code_challenge=\(Self.challenge)&redirect_to=javascript:alert(1)",
                "code_challenge=\(Self.challenge)&redirect_to=callback", "code_challenge=\(Self.challenge)",
                "code_challenge=\(Self.challenge)&redirect_to=\(long)",
            ] {
                try await browser.open("/account/sign-in?\(query)")
                #expect(browser.page.status == 400, "\(query)")
                #expect(browser.page.headers[.setCookie] == nil, "\(query)")
            }
            _ = try await server.signUp()
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            _ = try code(browser)
        }
    }

    @Test("The longest request fits into the cookie together with the tokens")
    func longest() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            let target = "https://app.example.org/cb?" + String(repeating: "a", count: 997)
            let challenge = String(repeating: "a", count: 128)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/account/sign-in?code_challenge=\(challenge)&redirect_to=\(target)")
            #expect(browser.page.text.contains("Continue as"))
            let cookie = try #require(browser.cookies.first { $0.name == "gatehouse-account" })
            #expect(cookie.value.utf8.count <= 3_900)
        }
    }

    @Test("An old sign-in is not handed over where the policy asks for a fresh one")
    func freshSignIn() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await TestServer.with(policy: policy, hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            server.clock.advance(by: .seconds(1_200))
            try await browser.open(Self.start)
            try await browser.press("Continue")
            #expect(browser.page.title == "Sign In")
            try await browser.press("Sign In", SignInPageTests.person)
            _ = try code(browser)
        }
    }

    @Test("The app's session is as old as the browser's, and needs it to be active", arguments: TestDatabase.all)
    func age(_ kind: TestDatabase) async throws {
        var policy = SessionPolicy()
        policy.timebox = .seconds(3_600)
        policy.inactivity = .seconds(3_200)
        try await TestServer.with(on: kind, policy: policy, hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            server.clock.advance(by: .seconds(3_090))
            func handOver() async throws -> AuthJSON {
                try await browser.open(Self.start)
                try await browser.press("Continue")
                return ["auth_code": try code(browser), "code_verifier": .string(Self.verifier)]
            }
            func redeem(_ grant: AuthJSON) async throws -> TestAnswer {
                try await server.send(.post, "/auth/v1/token?grant_type=pkce", json: grant)
            }
            let session = try #require(TestSession(try await redeem(try await handOver())))
            let late = try await handOver()
            try await browser.open("/account")
            try await browser.press("Sign Out")
            #expect(try await redeem(late).status == 404)
            server.clock.advance(by: .seconds(299))
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200)
            server.clock.advance(by: .seconds(299))
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 403)
        }
    }

    @Test("Without the pages, and without PKCE, authorize refuses a missing provider as before")
    func refusals() async throws {
        try await TestServer.with { server in
            let answer = try await server.send(.get, Self.start)
            #expect(answer.code == "validation_failed")
            #expect(try await server.send(.post, "/auth/v1/authorize").status == 405)
        }
        try await TestServer.with(hasPages: true) { server in
            let answer = try await server.send(.get, "/auth/v1/authorize?redirect_to=myapp://callback")
            #expect(answer.code == "validation_failed")
        }
    }

    @Test("An access token alone becomes no session: it takes a refresh token of the same session")
    func tokens() async throws {
        try await TestServer.with(hasPages: true) { server in
            let ada = try await server.signUp()
            let bob = try await server.signUp("bob@example.com")
            for refresh in ["", "abc", bob.refreshToken] {
                let body: AuthJSON = [
                    "refresh_token": .string(refresh), "code_challenge": .string(Self.challenge),
                    "code_challenge_method": "s256", "redirect_to": "myapp://callback",
                ]
                let answer = try await server.send(
                    .post, "/auth/v1/authorize", bearer: ada.accessToken, json: body)
                #expect(answer.code == "validation_failed", "\(refresh)")
            }
        }
    }
}
