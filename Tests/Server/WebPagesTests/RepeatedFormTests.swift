import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A form of the account pages that the browser sends twice")
struct RepeatedFormTests {
    /// When the second form comes, and with which cookie.
    enum Repeat: CaseIterable, Sendable {
        /// Two presses of the button.
        case atOnce
        /// The browser did not get the answer.
        case afterLostAnswer
        /// A second press while the next page loads.
        case withNewCookie
    }

    private func filled(_ browser: WebBrowser, _ button: String) throws -> [(name: String, value: String)] {
        let form = try #require(browser.page.forms.first { $0.button == button })
        let person = SignInPageTests.person
        return form.fields.map { (name: $0.name, value: person[$0.name] ?? $0.value) }
    }

    private func headers(_ browser: WebBrowser) -> HTTPFields {
        [
            .origin: WebBrowser.origin, .contentType: "application/x-www-form-urlencoded",
            .cookie: browser.cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "),
        ]
    }

    /// Stays at the page that the second response leads to.
    private func signUpTwice(_ time: Repeat, _ server: TestServer, _ browser: WebBrowser) async throws {
        try await browser.open("/account/sign-up")
        let (old, fields) = (browser.cookies, try filled(browser, "Create Account"))
        if time == .atOnce {
            let headers = headers(browser)
            let body = fields.map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
            async let first = server.send(
                .post, "/account/sign-up", headers: headers, raw: Array(body.utf8), authority: "127.0.0.1:9999")
            async let second = server.send(
                .post, "/account/sign-up", headers: headers, raw: Array(body.utf8), authority: "127.0.0.1:9999")
            let places = try await [first, second].map { $0.headers[.location] }
            #expect(places[0] != nil && places[0] == places[1])
        } else {
            try await browser.send("/account/sign-up", fields)
        }
        if time == .afterLostAnswer { browser.cookies = old }
        try await browser.send("/account/sign-up", fields)
        #expect(browser.page.problem == nil && browser.page.status == 200)
    }

    private func users(_ server: TestServer) async throws -> Int? {
        try await server.admin(.get, "/users")["users"]?.arrayValue?.count
    }

    @Test("A sign-up ends as one does: one account, and the user is signed in", arguments: Repeat.allCases)
    func signedIn(time: Repeat) async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await signUpTwice(time, server, browser)
            #expect(browser.page.title == "Account")
            #expect(try await users(server) == 1)
            try await browser.open("/account/devices")
            #expect(WebPage.between("<li><div>", "</li>", in: browser.page.text).count == 1)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("A sign-up that must be confirmed sends one mail, whose code keeps the password", arguments: Repeat.allCases)
    func confirmed(time: Repeat) async throws {
        for interval in [Duration.zero, .seconds(60)] {
            try await TestServer.with(
                hasPages: true,
                change: {
                    SignInPageTests.withMail(&$0)
                    $0.mail?.interval = interval
                }
            ) { server in
                let browser = WebBrowser(server)
                try await signUpTwice(time, server, browser)
                #expect(browser.page.title == "Check your email")
                let mail = try await server.deliveredMail()
                try await browser.press("Continue", ["code": mail.code])
                #expect(browser.page.title == "Account")
                #expect(try await users(server) == 1)
                #expect(try await server.signIn().status == 200)
            }
        }
    }

    @Test("The same sign-up after another mail sends none, and the newest mail's link stays good in its browser")
    func afterAnotherMail() async throws {
        try await TestServer.with(hasPages: true, change: SignInPageTests.withMail) { server in
            let browser = WebBrowser(server)
            for time in 1...2 {
                try await browser.open("/account/sign-up")
                try await browser.press("Create Account", SignInPageTests.person)
                #expect(browser.page.title == "Check your email")
                guard time == 1 else { break }
                _ = try await server.deliveredMail()
                try await browser.press("Send Again")
            }
            // Only the one that was sent again.
            let mail = try await server.deliveredMail()
            try await browser.open(mail.path)
            let form = try #require(browser.page.forms.first)
            try await browser.send("/auth/v1/verify/page", form.fields)
            #expect(browser.page.title == "Account", "\(browser.page)")
        }
    }

    @Test("A sign-up that was refused, or has another password, counts by itself")
    func others() async throws {
        try await TestServer.with(hasPages: true) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-up")
            for _ in 1...2 {
                try await browser.press("Create Account", ["email": SignInPageTests.email, "password": "short"])
                #expect(browser.page.problem?.hasPrefix("Password must be at least") == true)
            }
            try await browser.press("Create Account", SignInPageTests.person)
            #expect(browser.page.title == "Account")
            let other = WebBrowser(server)
            try await other.open("/account/sign-up")
            try await other.press("Create Account", SignInPageTests.person)
            #expect(
                other.page.problem
                    == "This email is already associated with another account. Sign in to that account, or use another email."
            )
        }
    }

    @Test("A second press of a form that changed the session leads on, and changes nothing")
    func renewed() async throws {
        try await TestServer.with(hasPages: true) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            let signIn = try filled(browser, "Sign In")
            for _ in 1...2 {
                try await browser.send("/account/sign-in", signIn)
                #expect(browser.page.title == "Account")
            }
            let signOut = try filled(browser, "Sign Out")
            for _ in 1...2 {
                try await browser.send("/account/sign-out", signOut)
                #expect(browser.page.status == 200 && browser.page.title == "Sign In")
            }
            // The old form's session is two sessions ago.
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(try await browser.send("/account/sign-out", signOut).status == 403)
            #expect(try await browser.send("/account/sign-in", signIn).status == 403)
            let other = WebBrowser(server)
            try await other.open("/account/sign-in")
            let foreign = try filled(other, "Sign In")
            try await other.send("/account/sign-in", foreign)
            #expect(try await browser.send("/account/sign-in", foreign).status == 403)
            #expect(try await browser.open("/account").title == "Account")
        }
    }
}
