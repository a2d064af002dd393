import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Signing in and up on the account pages")
struct SignInPageTests {
    static let email = "ada@example.com"
    static let person = ["email": email, "password": TestServer.password]

    @Test("A user signs up, sees the account and signs out")
    func wholeLife() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account")
            #expect(browser.page.title == "Sign In")
            #expect(browser.page.problem == nil)
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", Self.person.merging(["name": "Ada"]) { $1 })
            #expect(browser.page.title == "Account")
            #expect(browser.page.text.contains("ada@example.com"))
            try await browser.press("Sign Out")
            #expect(browser.page.title == "Sign In")
            #expect(browser.page.done == "You're signed out.")
            try await browser.open("/account")
            #expect(browser.page.title == "Sign In")
        }
    }

    @Test("A wrong password gives a message, and the address stays in the form")
    func wrongPassword() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", ["email": Self.email, "password": "something else"])
            #expect(browser.page.problem == "Incorrect email or password. Please try again.")
            #expect(browser.page.text.contains("value=\"ada@example.com\""))
            try await browser.press("Sign In", Self.person)
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A sign-up that must be confirmed awaits the code of the mail, and sends it again")
    func confirmation() async throws {
        try await TestServer.with(hasPages: true, change: Self.withMail) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", Self.person)
            #expect(browser.page.title == "Check your email")
            #expect(browser.page.text.contains("autocomplete=\"one-time-code\""))
            try await browser.press("Continue", ["code": "000000"])
            #expect(browser.page.problem == "The code is wrong or has expired. Please check it, or request a new one.")
            try await browser.press("Send Again")
            #expect(browser.page.done == "The email is on its way.")
            let mails = try await server.deliveredMails()
            let code = try #require(mails.last?.content.code?.reveal())
            try await browser.press("Continue", ["code": " \(code.prefix(3)) \(code.suffix(3)) "])
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A forgotten password is replaced with a mailed code, which stands for the old one")
    func recovery() async throws {
        try await TestServer.with(
            hasPages: true,
            change: {
                Self.withMail(&$0)
                $0.requiresCurrentPassword = true
            }
        ) {
            server in
            let made: AuthJSON = [
                "email": .string(Self.email), "password": .string(TestServer.password), "email_confirm": true,
            ]
            #expect(try await server.admin(.post, "/users", json: made).status == 200)
            let browser = WebBrowser(server)
            try await browser.open("/account/forgot-password")
            try await browser.press("Send Email", ["email": Self.email])
            let code = try #require(try await server.deliveredMails().last?.content.code?.reveal())
            try await browser.press("Continue", ["code": code])
            #expect(browser.page.title == "Set a Password")
            try await browser.press("Save Password", ["password": "another horse 43", "confirmation": "another horse"])
            #expect(browser.page.problem == "Passwords don't match.")
            let new = ["password": "another horse 43", "confirmation": "another horse 43"]
            try await browser.press("Save Password", new)
            #expect(browser.page.done == "Your password has been saved.")
            #expect(try await server.signIn(Self.email, password: "another horse 43").status == 200)
        }
    }

    @Test("A mailed code that a new password needs counts as it is typed")
    func mailedProof() async throws {
        try await TestServer.with(
            hasPages: true,
            change: {
                $0.mail = MailRules()
                $0.mail?.interval = .zero
                $0.mail?.requiresReauthentication = true
            }
        ) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", Self.person)
            server.clock.advance(by: .seconds(90_000))
            try await browser.open("/account/security")
            var fields = ["current": TestServer.password, "password": "another horse 43"]
            fields["confirmation"] = fields["password"]
            try await browser.press("Save Password", fields)
            let code = try #require(try await server.deliveredMails().last?.content.code?.reveal())
            fields["code"] = "\(code.prefix(3))\u{2010}\(code.suffix(3))"
            try await browser.press("Save Password", fields)
            #expect(browser.page.done == "Your password has been saved.")
        }
    }

    @Test("A user signs in through a provider and comes back")
    func provider() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            #expect(browser.page.text.contains("Sign in with Google"))
            try await browser.click("/account/provider/google")
            try await browser.choose("verified")
            #expect(browser.page.title == "Account")
        }
    }

    @Test(
        "Back from a provider, the page says why nobody is signed in",
        arguments: [
            ("unverified", "We didn't get a confirmed email address. Please sign in another way."),
            ("no-address", "We didn't get a confirmed email address. Please sign in another way."), ("cancels", nil),
        ])
    func refusedIdentity(_ person: String, _ problem: String?) async throws {
        try await TestServer.with(providers: TestProviders(address: .verified), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await comeBack(browser, as: person)
            #expect(browser.page.title == "Sign In" && browser.page.problem == problem)
        }
    }

    @Test("A banned user, and a new one without sign-ups, read why")
    func refusedAccount() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            try await comeBack(WebBrowser(server), as: "verified")
            let user = try await server.admin(.get, "/users")["users"]?.arrayValue?.first?["id"]?.stringValue
            _ = try await server.admin(.put, "/users/\(try #require(user))", json: ["ban_duration": "1h"])
            let browser = WebBrowser(server)
            try await comeBack(browser, as: "verified")
            #expect(browser.page.problem == "This account is blocked. Please contact the app's support.")
        }
        try await TestServer.with(providers: TestProviders(), hasPages: true, change: { $0.allowsSignUp = false }) {
            let browser = WebBrowser($0)
            try await comeBack(browser, as: "verified")
            #expect(
                browser.page.problem
                    == "New accounts can't be created here. Please sign in with an existing account.")
        }
    }

    private func comeBack(_ browser: WebBrowser, as person: String) async throws {
        try await browser.open("/account/sign-in")
        try await browser.click("/account/provider/google")
        try await browser.choose(person)
    }

    @Test("A browser without the flow does not sign in with its code")
    func foreignCode() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/callback?code=6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b")
            #expect(browser.page.title == "Sign In")
            #expect(
                browser.page.problem == "The link couldn't be opened. Please request a new email, or enter its code.")
        }
    }

    static func withMail(_ settings: inout AuthSettings) {
        settings.confirmsAutomatically = false
        settings.mail = MailRules()
        settings.mail?.interval = .zero
    }
}
