import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Second factors on the account pages")
struct SecondFactorPageTests {
    private static var rules: FactorRules {
        var rules = FactorRules()
        rules.enrolling = [.totp, .recoveryCodes]
        rules.verifying = [.totp, .recoveryCodes]
        rules.recoveryCodes.count = 4
        return rules
    }

    private func with(
        policy: SessionPolicy = SessionPolicy(), _ test: (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        try await TestServer.with(
            policy: policy, hasPages: true, factors: Self.rules,
            change: {
                $0.mail = MailRules()
                $0.mail?.interval = .zero
            }
        ) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await signIn(browser)
            #expect(browser.page.title == "Account")
            try await test(server, browser)
        }
    }

    private func signIn(_ browser: WebBrowser) async throws {
        try await browser.open("/account/sign-in")
        try await browser.press("Sign In", SignInPageTests.person)
    }

    private func key(of page: WebPage) throws -> TimeCode {
        let key = try #require(
            WebPage.between("<p class=\"key\"><code dir=\"ltr\" translate=\"no\">", "<", in: page.text).first)
        return TimeCode(secret: try #require(Base32.decode(key.replacing(" ", with: "").utf8)))
    }

    private func setUp(_ server: TestServer, _ browser: WebBrowser) async throws -> TimeCode {
        try await browser.open("/account/authenticator")
        try await browser.press("Set Up")
        let codes = try key(of: browser.page)
        try await browser.press("Continue", ["code": codes.code(at: server.clock.now)])
        #expect(browser.page.done == "The authenticator app has been added.")
        #expect(browser.page.title == "Recovery Codes")
        return codes
    }

    @Test("A user adds an app, signs in with its code, and removes it")
    func wholeLife() async throws {
        try await with { server, browser in
            let codes = try await setUp(server, browser)
            try await browser.open("/account/security")
            #expect(
                browser.page.text.contains("<span class=\"entry\">Authenticator App</span><span class=\"detail\">On"))
            try await browser.open("/account")
            try await browser.press("Sign Out")
            try await signIn(browser)
            #expect(browser.page.title == "Confirm It's You")
            #expect(browser.page.text.contains("autocomplete=\"one-time-code\""))
            try await browser.press("Continue", ["code": "000000"])
            #expect(browser.page.problem == "The code is wrong or has expired. Please check it, or request a new one.")
            let right = server.nextCode(codes)
            try await browser.press("Continue", ["code": "\(right.prefix(3)) \(right.suffix(3))"])
            #expect(browser.page.title == "Account")
            try await browser.open("/account/authenticator")
            try await browser.press("Remove")
            #expect(browser.page.title == "Remove Authenticator App")
            try await browser.press("Remove")
            #expect(browser.page.done == "The authenticator app has been removed.")
            try await browser.open("/account")
            try await browser.press("Sign Out")
            try await signIn(browser)
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A wrong code during the set-up keeps the key and the picture, which the server shows once")
    func wrongCode() async throws {
        try await with { server, browser in
            try await browser.open("/account/authenticator")
            try await browser.press("Set Up")
            let picture = WebPage.between("<img class=\"picture\" src=\"", "\"", in: browser.page.text).first
            #expect(picture?.hasPrefix("data:image/svg+xml;base64,") == true)
            #expect(!browser.page.text.contains("?lang="))
            #expect(browser.page.headers[.contentSecurityPolicy]?.contains("img-src 'self' data:;") == true)
            #expect(browser.page.text.contains("href=\"otpauth://totp/Box%20Score:ada@example.com?"))
            #expect(browser.page.text.utf8.count < 60_000)
            let codes = try key(of: browser.page)
            for wrong in ["123", " ", "", "…"] {
                try await browser.press("Continue", ["code": wrong])
                #expect(
                    browser.page.problem == "The code is wrong or has expired. Please check it, or request a new one.",
                    "\(wrong)")
                #expect(WebPage.between("<img class=\"picture\" src=\"", "\"", in: browser.page.text).first == picture)
            }
            try await browser.press("Continue", ["code": codes.code(at: server.clock.now)])
            #expect(browser.page.title == "Recovery Codes")
        }
    }

    @Test("A password alone opens no page of a user with a second factor, and no session for an app")
    func passwordAlone() async throws {
        try await with { server, owner in
            _ = try await setUp(server, owner)
            let thief = WebBrowser(server)
            try await signIn(thief)
            let form = try #require(thief.page.forms.first).fields.filter { $0.name == "form" }
            let paths = [
                "", "/security", "/passkeys", "/passkeys/passkey", "/authenticator", "/security-keys",
                "/recovery-codes", "/new-password",
                "/email", "/devices", "/methods", "/profile", "/data", "/delete", "/continue",
            ]
            for path in paths {
                #expect(try await thief.open("/account" + path).title == "Confirm It's You", "\(path)")
                guard !path.isEmpty, path != "/recovery-codes" else { continue }
                let sent = try await thief.send("/account" + path, form + [(name: "sure", value: "yes")])
                #expect(sent.title == "Confirm It's You", "\(path)")
            }
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            let start = "/auth/v1/authorize?code_challenge=\(challenge)&code_challenge_method=s256"
            try await thief.open(start + "&redirect_to=myapp://callback")
            #expect(thief.page.title == "Confirm It's You" && !thief.page.text.contains("0;url="))
            try await thief.press("Cancel")
            #expect(thief.page.title == "Sign In" && thief.page.text.contains("You'll continue to myapp:."))
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("A user with an app comes back to another app after the code")
    func handover() async throws {
        try await with { server, browser in
            let codes = try await setUp(server, browser)
            let other = WebBrowser(server)
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            let start = "/auth/v1/authorize?code_challenge=\(challenge)&code_challenge_method=s256"
            try await other.open(start + "&redirect_to=myapp://callback")
            try await other.press("Sign In", SignInPageTests.person)
            #expect(other.page.title == "Confirm It's You" && other.page.text.contains("You'll continue to myapp:."))
            // The app waits on.
            try await other.press("Cancel")
            try await other.press("Sign In", SignInPageTests.person)
            try await other.press("Continue", ["code": server.nextCode(codes)])
            #expect(other.page.text.contains("0;url=myapp://callback?code="))
        }
    }

    @Test("Recovery codes are shown once, and each signs in once")
    func recoveryCodes() async throws {
        try await with { server, browser in
            _ = try await setUp(server, browser)
            let making = try #require(browser.page.forms.first { $0.button == "Create Recovery Codes" })
            try await browser.press("Create Recovery Codes")
            #expect(browser.page.title == "Your Recovery Codes")
            let shown = WebPage.between("<li><code dir=\"ltr\" translate=\"no\">", "<", in: browser.page.text)
            #expect(shown.count == 4 && !browser.page.text.contains("?lang="))
            try await browser.open("/account/recovery-codes")
            #expect(browser.page.text.contains("4 of 4 codes are left."))
            #expect(!browser.page.text.contains(shown[0]))
            // A double click.
            try await browser.send(making.action, making.fields)
            #expect(
                browser.page.problem == "You already have recovery codes. If you didn't see them, create new ones.")
            #expect(browser.page.forms.contains { $0.button == "Create New Codes" })
            try await browser.open("/account")
            try await browser.press("Sign Out")
            for expected in ["Account", "Confirm It's You"] {
                try await signIn(browser)
                try await browser.open("/account/second-step?use=recovery")
                try await browser.press("Continue", ["code": shown[0].uppercased()])
                #expect(browser.page.title == expected)
                if expected == "Account" { try await browser.press("Sign Out") }
            }
            try await browser.press("Continue", ["code": shown[1]])
            try await browser.open("/account/security")
            #expect(browser.page.text.contains("2 of 4 codes are left."))
            try await browser.open("/account/recovery-codes")
            try await browser.press("Create New Codes")
            let new = WebPage.between("<li><code dir=\"ltr\" translate=\"no\">", "<", in: browser.page.text)
            #expect(new.count == 4 && !new.contains(shown[2]))
            try await browser.open("/account/recovery-codes")
            try await browser.press("Remove Recovery Codes")
            #expect(browser.page.done == "The recovery codes have been removed.")
            #expect(browser.page.text.contains("Create Recovery Codes"))
        }
    }

    @Test("A sensitive change long after the sign-in asks for a code, and comes back to its page")
    func stepUp() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        try await with(policy: policy) { server, browser in
            let codes = try await setUp(server, browser)
            server.clock.advance(by: .seconds(700))
            try await browser.open("/account/data")
            try await browser.press("Download My Data")
            #expect(browser.page.title == "Confirm It's You")
            #expect(browser.page.problem == "Please confirm that it's you, then try again.")
            try await browser.press("Continue", ["code": server.nextCode(codes)])
            #expect(browser.page.title == "Your Data")
            try await browser.press("Download My Data")
            #expect(try JSONReader.read(browser.page.text)["user"]?["email"] == "ada@example.com")
        }
    }

    @Test("A mailed code sets no new password without the second factor")
    func stolenMailbox() async throws {
        try await TestServer.with(hasPages: true, factors: Self.rules, change: SignInPageTests.withMail) { server in
            // An address's first proof would remove the earlier factors.
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-up")
            try await browser.press("Create Account", SignInPageTests.person)
            let confirmation = try #require(try await server.deliveredMails().last?.content.code?.reveal())
            try await browser.press("Continue", ["code": confirmation])
            let codes = try await setUp(server, browser)
            let other = WebBrowser(server)
            try await other.open("/account/forgot-password")
            try await other.press("Send Email", ["email": SignInPageTests.email])
            let mailed = try #require(try await server.deliveredMails().last?.content.code?.reveal())
            try await other.press("Continue", ["code": mailed])
            #expect(other.page.title == "Confirm It's You")
            #expect(try await other.open("/account/new-password").title == "Confirm It's You")
            try await other.press("Continue", ["code": server.nextCode(codes)])
            #expect(other.page.title == "Set a Password")
        }
    }

    @Test("Texts of users in names of factors are shown, and never run")
    func names() async throws {
        try await with { server, browser in
            let session = try #require(TestSession(try await server.signIn()))
            let codes = try await server.addApp(session, named: "\"><script>alert(1)</script>")
            try await signIn(browser)
            try await browser.press("Continue", ["code": server.nextCode(codes)])
            try await browser.open("/account/authenticator")
            #expect(browser.page.text.contains("&lt;script&gt;") && !browser.page.text.contains("<script"))
            try await browser.press("Remove")
            #expect(!browser.page.text.contains("<script"))
        }
    }

    @Test(
        "A code counts in the digits of any script, and with any marks between them",
        arguments: [
            ("\u{FF10}", "\u{3000}"), ("\u{0660}", "\u{00A0}"), ("\u{06F0}", "\u{202F}"), ("0", "-"), ("0", "\u{30FC}"),
        ])
    func scripts(zero: Unicode.Scalar, mark: String) async throws {
        try await with { server, browser in
            let codes = try await setUp(server, browser)
            let other = WebBrowser(server)
            try await signIn(other)
            let typed = server.nextCode(codes).unicodeScalars.map { digit in
                String(Unicode.Scalar(zero.value + digit.value - 0x30).map(Character.init) ?? "?")
            }
            try await other.press("Continue", ["code": typed[..<3].joined() + mark + typed[3...].joined()])
            #expect(other.page.title == "Account")
        }
    }

    @Test("Factors that were never confirmed give way to a new one")
    func unconfirmed() async throws {
        try await with { server, browser in
            let stolen = try #require(TestSession(try await server.signIn()))
            for number in 1...10 {
                let made = try await server.factors(
                    "", stolen, ["factor_type": "totp", "friendly_name": .string("thief \(number)")])
                _ = try await server.factors("/\(made["id"]?.stringValue ?? "")/challenge", stolen)
            }
            _ = try await setUp(server, browser)
        }
    }

    @Test("A second step that has nothing to ask for any more is over")
    func removedMeanwhile() async throws {
        try await with { server, browser in
            _ = try await setUp(server, browser)
            let (asked, other) = (WebBrowser(server), WebBrowser(server))
            for waiting in [asked, other] {
                try await signIn(waiting)
                #expect(waiting.page.title == "Confirm It's You")
            }
            try await browser.open("/account/authenticator")
            try await browser.press("Remove")
            try await browser.press("Remove")
            #expect(try await asked.open("/account/second-step").title == "Account")
            #expect(try await asked.open("/account/security").title == "Security")
            #expect(try await other.press("Continue", ["code": "000000"]).title == "Account")
        }
    }

    @Test("A token from before the second factor deletes no account, and the page asks for the factor")
    func lowDeletion() async throws {
        try await with { server, browser in
            let before = browser.cookies
            let codes = try await setUp(server, browser)
            browser.cookies = before
            try await browser.open("/account/delete")
            try await browser.press("Delete Account", ["sure": "yes"])
            #expect(browser.page.title == "Confirm It's You")
            #expect(browser.page.problem == "Please confirm that it's you, then try again.")
            _ = codes
        }
    }

    @Test("A locked factor says how long", arguments: [("en", "15 minutes"), ("de", "15 Minuten"), ("ja", "15分")])
    func locked(language: String, time: String) async throws {
        try await with { server, browser in
            _ = try await setUp(server, browser)
            let other = WebBrowser(server)
            try await signIn(other)
            for _ in 1...10 { try await other.press("Continue", ["code": "000000"]) }
            #expect(other.page.problem == "The code is wrong or has expired. Please check it, or request a new one.")
            try await other.open("/account/second-step?lang=\(language)")
            let form = try #require(other.page.forms.first { $0.fields.contains { $0.name == "factor" } })
            try await other.send(form.action, form.fields.filter { $0.name != "code" } + [(name: "code", value: "1")])
            #expect(other.page.problem?.contains(time) == true, "\(other.page)")
        }
    }
}
