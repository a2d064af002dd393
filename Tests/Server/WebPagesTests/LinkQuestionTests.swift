import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The question to which account a provider's identity belongs")
struct LinkQuestionTests {
    /// Google vouches for this address.
    private static let email = "grace@example.com"

    /// - Parameter browser: nil for one without a sign-in.
    private func asked(_ server: TestServer, _ browser: WebBrowser? = nil) async throws -> WebBrowser {
        let made = try await server.send(
            .post, "/auth/v1/signup",
            json: ["email": .string(Self.email), "password": .string(TestServer.password)])
        #expect(made.status == 200)
        return try await question(in: browser ?? WebBrowser(server))
    }

    /// After Google; the address has an account.
    private func question(in browser: WebBrowser) async throws -> WebBrowser {
        try await browser.click("/account/provider/google")
        try await browser.send(browser.page.path, [("person", "existing"), ("email", Self.email)], headers: [:])
        #expect(browser.page.title == "Link Accounts")
        return browser
    }

    @Test("The account's password answers it, and the identity is linked")
    func password() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = try await asked(server)
            try await browser.press("Link with Password", ["password": "wrong"])
            #expect(browser.page.problem == "Incorrect email or password. Please try again.")
            try await browser.press("Link with Password", ["password": TestServer.password])
            #expect(browser.page.title == "Account")
            try await browser.open("/account/methods")
            #expect(browser.page.text.contains("Google"))
        }
    }

    @Test("Starting anew takes a ticked box, and creates another account; the present one keeps everything else")
    func recovery() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = try await asked(server)
            let form = try #require(browser.page.forms.first { $0.button == "Start Over with This Email" })
            try await browser.send(form.action, form.fields.filter { $0.name != "sure" })
            #expect(browser.page.title == "Link Accounts")
            try await browser.press("Start Over with This Email", ["sure": "yes"])
            #expect(browser.page.title == "Account")
            let own = try await browser.open("/account").text
            #expect(own.contains(Self.email) && !own.contains("belongs to another account"))
            #expect(try await server.signIn(Self.email).status == 200)
        }
    }

    /// With another address.
    ///
    /// - Returns: The response, or that of a sign-in without a session.
    private func apple(_ server: TestServer, linkedBy session: TestSession? = nil) async throws -> TestAnswer {
        let credential = try await server.send(
            .post, "/dev/apple/native-credential", json: ["person": "existing", "email": "eve@example.com"])
        var body: AuthJSONObject = [
            "provider": "apple", "id_token": credential["identityToken"] ?? .null,
            "authorization_code": credential["authorizationCode"] ?? .null,
        ]
        if session != nil { body["link_identity"] = true }
        return try await server.send(
            .post, "/auth/v1/token?grant_type=id_token", bearer: session?.accessToken, json: .object(body))
    }

    @Test("Starting anew says that the account stays, with its providers")
    func warning() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let first = try await asked(server).page.text
            #expect(first.contains("will lose it, but keep everything else.") && !first.contains("delete"))
            let old = try #require(TestSession(try await server.signIn(Self.email)))
            #expect(try await apple(server, linkedBy: old).status == 200)
            let browser = try await question(in: WebBrowser(server))
            try await browser.press("Start Over with This Email", ["sure": "yes"])
            #expect(browser.page.title == "Account")
            #expect(try await apple(server)["user"]?["id"]?.stringValue == old.userID)
        }
    }

    /// The question's account has an app, and its owner has given the password.
    ///
    /// - Parameter other: The account that the browser is signed in to.
    private func protected(
        other: [String: String]? = nil, _ test: (TestServer, WebBrowser, TimeCode) async throws -> Void
    ) async throws {
        try await TestServer.with(
            providers: TestProviders(linking: .confirm), hasPages: true, factors: FactorRules(),
            change: {
                $0.mail = MailRules()
                $0.mail?.interval = .zero
            }
        ) { server in
            let browser = WebBrowser(server)
            if let other {
                _ = try await server.signUp()
                try await browser.open("/account/sign-in")
                try await browser.press("Sign In", other)
            }
            _ = try await asked(server, browser)
            let session = try #require(TestSession(try await server.signIn(Self.email)))
            try await test(server, browser, try await server.addApp(session))
        }
    }

    private func expectLinked(_ browser: WebBrowser) async throws {
        #expect(browser.page.title == "Account")
        try await browser.open("/account/methods")
        #expect(browser.page.text.contains("Google"))
        // With the level of the second step.
        #expect(try await browser.open("/account/security").title == "Security")
    }

    @Test("A user with a second factor answers with the password and a code, and the identity is linked")
    func secondFactor() async throws {
        try await protected { server, browser, codes in
            try await browser.press("Link with Password", ["password": TestServer.password])
            #expect(browser.page.title == "Confirm It's You")
            try await browser.press("Continue", ["code": "000000"])
            try await browser.press("Continue", ["code": server.nextCode(codes)])
            #expect(browser.page.done == "The sign-in method has been added.")
            try await expectLinked(browser)
            try await browser.open("/account/devices")
            let sessions = WebPage.between("<li", "</li>", in: browser.page.text)
            #expect(sessions.filter { $0.contains("This Device") }.count == 1)
        }
    }

    @Test("A mailed code answers nothing for a user with a second factor, whose next sign-in does")
    func mailedCode() async throws {
        try await protected { server, browser, codes in
            try await answerByMail(server, browser)
            #expect(browser.page.title == "Sign In")
            #expect(
                browser.page.problem == "This account uses two-step verification. Sign in to it to link your accounts.")
            try await browser.press("Sign In", ["email": Self.email, "password": TestServer.password])
            try await browser.press("Continue", ["code": server.nextCode(codes)])
            try await expectLinked(browser)
        }
    }

    @Test("A mailed code leads someone who is signed in to another account to the sign-in, too")
    func mailedCodeBesideAnotherAccount() async throws {
        try await protected(other: SignInPageTests.person) { server, browser, codes in
            try await answerByMail(server, browser)
            #expect(browser.page.title == "Sign In")
            #expect(
                browser.page.problem == "This account uses two-step verification. Sign in to it to link your accounts.")
            try await browser.press("Sign In", ["email": Self.email, "password": TestServer.password])
            try await browser.press("Continue", ["code": server.nextCode(codes)])
            try await expectLinked(browser)
        }
    }

    private func answerByMail(_ server: TestServer, _ browser: WebBrowser) async throws {
        try await browser.press("Email Me a Code")
        let code = try #require(try await server.deliveredMails().last?.content.code?.reveal())
        try await browser.press("Continue", ["code": code])
    }
}
