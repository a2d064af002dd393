import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A client asks for access on the account pages")
struct ConsentPageTests {
    private static let callback = "https://agent.example/callback"
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
    // RFC 7636, appendix B.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func with(
        hasConsole: Bool = false, allowsPhone: Bool = false, _ test: (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        try await TestServer.with(hasPages: true, hasConsole: hasConsole) { settings in
            var rules = OAuthRules(
                consentPage: WebBrowser.origin + "/account/oauth", devicePage: WebBrowser.origin + "/account/device")
            rules.allowsRegistration = true
            rules.ownScopes = [OAuthScopeText("scores:read", [("en", "Read <b>your</b> scores"), ("de", "Lesen")])]
            settings.oauth = rules
            if allowsPhone { (settings.allowsPhone, settings.texts) = (true, TextRules()) }
        } _: { server in
            _ = try await server.signUp()
            try await test(server, WebBrowser(server))
        }
    }

    /// Registered by itself, unverified.
    private func client(_ server: TestServer, _ name: String = "Agent", grant: String? = nil) async throws -> String {
        var body: AuthJSONObject = [
            "client_name": .string(name), "redirect_uris": [.string(Self.callback)],
            "token_endpoint_auth_method": "none", "client_uri": "https://agent.example",
        ]
        if let grant { body["grant_types"] = [.string(grant)] }
        let made = try await server.send(.post, "/auth/v1/oauth/clients/register", json: .object(body))
        return try #require(made["client_id"]?.stringValue, "\(made)")
    }

    /// The path of the consent page.
    private func ask(_ server: TestServer, _ client: String, _ more: String = "") async throws -> String {
        let path =
            "/auth/v1/oauth/authorize?client_id=\(client)&redirect_uri=\(FormText.escape(Self.callback))"
            + "&response_type=code&scope=email%20scores:read&state=s&code_challenge=\(Self.challenge)"
            + "&code_challenge_method=S256" + more
        let answer = try await server.send(.get, path)
        let page = try #require(answer.headers[.location], "\(answer)")
        return page.replacing(WebBrowser.origin, with: "")
    }

    private func onward(_ browser: WebBrowser) throws -> String {
        let address = try #require(WebPage.between("0;url=", "\"", in: browser.page.text).first, "\(browser.page)")
        return address.replacing("&amp;", with: "&")
    }

    private func signIn(_ browser: WebBrowser) async throws {
        #expect(browser.page.title == "Sign In", "\(browser.page)")
        try await browser.press("Sign In", SignInPageTests.person)
    }

    @Test("A sign-in returns to the request, and each decision leads to the client")
    func decisions() async throws {
        try await with { server, browser in
            let client = try await client(server)
            try await browser.open(try await ask(server, client))
            try await signIn(browser)
            #expect(browser.page.title == "“Agent” Asks for Access")
            for text in [
                "Not Verified", "Says its website is agent.example", "See your email address", "192.0.2.1",
                "Read &lt;b&gt;your&lt;/b&gt; scores", "ada@example.com", "You'll continue to agent.example.",
            ] { #expect(browser.page.text.contains(text), "\(text)") }
            try await browser.press("Deny")
            #expect(try onward(browser).hasPrefix(Self.callback + "?error=access_denied"))
            try await browser.open(try await ask(server, client))
            try await browser.press("Approve")
            #expect(try onward(browser).hasPrefix(Self.callback + "?code="))
            // Remembered: without a page.
            try await browser.open(try await ask(server, client))
            #expect(browser.page.status == 303)
            #expect(browser.page.headers[.location]?.hasPrefix(Self.callback + "?code=") == true)
        }
    }

    @Test("A form without its token decides nothing")
    func forged() async throws {
        try await with { server, browser in
            try await browser.open(try await ask(server, client(server)))
            try await signIn(browser)
            let form = try #require(browser.page.forms.first { $0.button == "Approve" })
            let forged = form.fields.filter { $0.name != "form" }
            try await browser.send(form.action, forged)
            #expect(browser.page.status == 403)
            try await browser.send(form.action, form.fields, headers: [.origin: "https://agent.example"])
            #expect(browser.page.status == 403)
        }
    }

    @Test("A request that was answered, has expired or is unknown says so, and how to begin again")
    func over() async throws {
        try await with { server, browser in
            let client = try await client(server)
            let page = try await ask(server, client)
            try await browser.open(page)
            try await signIn(browser)
            try await browser.press("Deny")
            try await browser.open(page)
            #expect(browser.page.status == 400 && browser.page.title == "This request has already been answered.")
            let late = try await ask(server, client)
            try await browser.open(late)
            server.clock.advance(by: .seconds(601))
            for path in [late, "/account/oauth", "/account/oauth?authorization_id=nothing"] {
                try await browser.open(path)
                #expect(browser.page.status == 404 && browser.page.title == "This request is no longer valid.")
            }
        }
    }

    @Test("A sign-in for an app that began later does not return to an earlier request")
    func lastOneCounts() async throws {
        try await with { server, browser in
            try await browser.open(try await ask(server, client(server)))
            try await browser.open(
                "/auth/v1/authorize?code_challenge=\(Self.challenge)&code_challenge_method=s256"
                    + "&redirect_to=myapp://callback")
            try await signIn(browser)
            #expect(try onward(browser).hasPrefix("myapp://callback?code="))
            let other = WebBrowser(server)
            try await other.open(try await ask(server, client(server)))
            server.clock.advance(by: .seconds(601))
            try await other.open("/account/sign-in")
            try await signIn(other)
            #expect(other.page.title == "Account")
        }
    }

    @Test("prompt=none shows no page, whoever is signed in")
    func withoutPages() async throws {
        try await with { server, browser in
            let client = try await client(server)
            try await browser.open(try await ask(server, client, "&prompt=none"))
            #expect(browser.page.headers[.location]?.contains("error=login_required") == true, "\(browser.page)")
            try await browser.open(try await ask(server, client))
            try await signIn(browser)
            try await browser.open(try await ask(server, client, "&prompt=none"))
            #expect(browser.page.headers[.location]?.contains("error=consent_required") == true, "\(browser.page)")
        }
    }

    @Test("An account that the client does not expect is marked")
    func unexpectedAccount() async throws {
        try await with { server, browser in
            try await browser.open(try await ask(server, client(server), "&login_hint=Bob%40example.com"))
            try await signIn(browser)
            for text in ["Not the Expected Account", "The app expects", "bob@example.com"] {
                #expect(browser.page.text.contains(text), "\(text)")
            }
            #expect(browser.page.forms.contains { $0.button == "Approve" })
            try await browser.open(try await ask(server, client(server), "&login_hint=ada%40example.com"))
            #expect(!browser.page.text.contains("Expected"))
            // A page shows no other words of the client's.
            try await browser.open(try await ask(server, client(server), "&login_hint=Call%20555%20now"))
            #expect(!browser.page.text.contains("555"))
        }
    }

    @Test("Only the account of an ID token can approve")
    func onlyTheExpectedAccount() async throws {
        try await with { server, browser in
            let agent = try await TestAgent(server)
            try await browser.open("/account/oauth?authorization_id=\(try await agent.ask())")
            try await signIn(browser)
            try await browser.press("Approve")
            let tokens = try await agent.redeem(try onward(browser))
            let token = try #require(tokens["id_token"]?.stringValue, "\(tokens)")
            let bob = WebBrowser(server)
            _ = try await server.signUp("bob@example.com")
            let asked = try await agent.ask("phone", ["id_token_hint": token])
            try await bob.open("/account/oauth?authorization_id=\(asked)")
            try await bob.press("Sign In", SignInPageTests.person.merging(["email": "bob@example.com"]) { $1 })
            for text in ["The app expects ada@example.com.", "Only the expected account can approve."] {
                #expect(bob.page.text.contains(text), "\(text)")
            }
            #expect(!bob.page.forms.contains { $0.button == "Approve" })
            try await bob.press("Deny")
            #expect(try onward(bob).hasPrefix(Self.callback + "?error=access_denied"))
        }
    }

    @Test("The sign-in is filled in with the expected address or number, whether an account has it or not")
    func loginHint() async throws {
        try await with(allowsPhone: true) { server, browser in
            let client = try await client(server)
            try await browser.open(try await ask(server, client, "&login_hint=Bob%2Bx%40example.com"))
            #expect(browser.page.title == "Sign In" && browser.page.text.contains("value=\"bob+x@example.com\""))
            try await browser.open("/account/sign-in/code")
            #expect(browser.page.text.contains("value=\"bob+x@example.com\""))
            try await browser.open(try await ask(server, client, "&login_hint=%2B49%20170%201234567"))
            try await browser.open("/account/sign-in/phone")
            #expect(browser.page.text.contains("value=\"+491701234567\""))
            // Each request has its own.
            try await browser.open(try await ask(server, client))
            #expect(browser.page.title == "Sign In" && !browser.page.text.contains("example.com"))
            let long = String(repeating: "a", count: 250) + "@example.com"
            for hint in ["Call%20555@now", "%22%3E%3Cb%3Ehi", long, "a@b@c", "555", "%40example.com"] {
                let page = "/account/oauth?login_hint=\(hint)&authorization_id=5f6c1b0e-7b8e-4b3a-9d49-6e1f3d1d7e11"
                try await browser.open(page)
                let address = try #require(browser.page.forms.first { $0.button == "Sign In" }, "\(browser.page)")
                #expect(address.fields.first { $0.name == "email" }?.value == "", "\(hint)")
            }
        }
    }

    @Test("Another account than the expected one switches to a filled-in sign-in")
    func switchToExpected() async throws {
        try await with { server, browser in
            let page = try await ask(server, client(server), "&login_hint=bob%40example.com")
            try await browser.open(page)
            try await signIn(browser)
            try await browser.press("Use Another Account")
            #expect(browser.page.title == "Sign In" && browser.page.text.contains("value=\"bob@example.com\""))
        }
    }

    @Test("A device's code is filled in, never sent, and its request cannot be handed to another account")
    func device() async throws {
        try await with { server, browser in
            let client = try await client(server, grant: Self.deviceGrant)
            let body = Array("client_id=\(client)&scope=email".utf8)
            let begun = try await server.send(
                .post, "/auth/v1/oauth/device_authorization",
                headers: [.contentType: "application/x-www-form-urlencoded"], raw: body)
            let code = try #require(begun["user_code"]?.stringValue, "\(begun)")
            try await browser.open("/account/device?user_code=\(code)")
            try await signIn(browser)
            #expect(browser.page.title == "Connect a Device")
            #expect(browser.page.text.contains("value=\"\(code)\""))
            try await browser.press("Continue")
            #expect(browser.page.text.contains("A device asks for access."))
            #expect(!browser.page.text.contains("Use Another Account"))
            let form = try #require(browser.page.forms.first { $0.button == "Deny" })
            let switching = form.fields.map { $0.name == "act" ? (name: "act", value: "switch") : $0 }
            try await browser.send(form.action, switching)
            #expect(browser.page.status == 404)
            try await browser.send(form.action, form.fields)
            #expect(browser.page.title == "Access Denied")
        }
    }

    @Test("Names in other scripts are isolated, and markup in them stays text")
    func hostile() async throws {
        try await with { server, browser in
            let name = "\"><script>alert(1)</script>'&\u{5D0}\u{5D1}"
            try await browser.open(try await ask(server, client(server, name)))
            try await signIn(browser)
            let raw = try await server.send(
                .get, browser.page.path,
                headers: [.cookie: browser.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")],
                authority: "127.0.0.1:9999")
            let escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;\u{5D0}\u{5D1}"
            #expect(raw.text.contains("<span class=\"entry\">\u{2068}\(escaped)\u{2069}</span>"))
            #expect(raw.text.contains("<h1>“\u{2068}\(escaped)\u{2069}”"))
            #expect(!raw.text.contains("<script>"))
        }
    }

    @Test("A connected app is removed after a question, also twice")
    func removal() async throws {
        try await with { server, browser in
            try await browser.open(try await ask(server, client(server)))
            try await signIn(browser)
            try await browser.press("Approve")
            try await browser.open("/account")
            #expect(browser.page.text.contains("Connected Apps"))
            try await browser.open("/account/apps")
            try await browser.press("Remove")
            #expect(browser.page.title == "Remove Agent")
            let form = try #require(browser.page.forms.first { $0.button == "Remove" })
            for _ in 0..<2 {
                try await browser.send(form.action, form.fields)
                #expect(browser.page.done == "The app has been removed.", "\(browser.page)")
            }
            #expect(browser.page.text.contains("No apps are connected to your account."))
        }
    }

    @Test("Without the OAuth server, the pages offer and show nothing of it")
    func disabled() async throws {
        try await TestServer.with(hasPages: true, hasConsole: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/oauth?authorization_id=5f6c1b0e-7b8e-4b3a-9d49-6e1f3d1d7e11")
            try await signIn(browser)
            #expect(browser.page.status == 404 && browser.page.title == "This isn't available here.")
            try await browser.open("/account")
            #expect(!browser.page.text.contains("Connected Apps"))
        }
    }
}
