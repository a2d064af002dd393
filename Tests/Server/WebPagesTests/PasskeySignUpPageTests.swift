import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

@Suite("Sign-up with a passkey on the account pages")
struct PasskeySignUpPageTests {
    private static let origin = "https://app.example.org"
    private static let person = ["name": "Ada", "email": "ada@example.com"]

    private func with(
        sendsMail: Bool = false, allowsSignUp: Bool = true, _ test: (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        let party = try RelyingParty(id: "example.org", name: "Example", origins: [Self.origin])
        try await TestServer.with(
            hasPages: true,
            change: { settings in
                var rules = PasskeyRules()
                rules.allowsSignUp = allowsSignUp
                (settings.passkeys, settings.identity) = (rules, AppIdentity(party: party))
                if sendsMail { (settings.mail, settings.confirmsAutomatically) = (MailRules(), false) }
            }
        ) { server in
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-up")
            try await test(server, browser)
        }
    }

    private func options(_ browser: WebBrowser) throws -> AuthJSON {
        let escaped = try #require(WebPage.between("data-options=\"", "\"", in: browser.page.text).first)
        return try JSONReader.read(escaped.replacing("&quot;", with: "\"").replacing("&amp;", with: "&"))
    }

    /// By the user and the page's script.
    private func signUp(_ browser: WebBrowser) async throws -> SoftAuthenticator {
        try await browser.click("/account/sign-up/passkey")
        try await browser.press("Continue", Self.person)
        var device = SoftAuthenticator()
        let credential = try device.create(try options(browser), origin: Self.origin)
        #expect(device.credentials.first?.userName == "ada@example.com")
        try await browser.press("Continue", ["credential": credential.text])
        return device
    }

    @Test("An account begins with a passkey, which signs in the next time")
    func whole() async throws {
        try await with { server, browser in
            #expect(browser.page.text.contains("Create Account with a Passkey"))
            var device = try await signUp(browser)
            #expect(browser.page.title == "Account" && browser.page.text.contains("ada@example.com"))
            let other = WebBrowser(server)
            try await other.open("/account/sign-in")
            let credential = try device.get(try options(other), origin: Self.origin)
            try await other.press("Sign in with a Passkey", ["credential": credential.text])
            #expect(other.page.title == "Account")
        }
    }

    @Test("The mailed code follows, and gives the account its address")
    func code() async throws {
        try await with(sendsMail: true) { server, browser in
            _ = try await signUp(browser)
            #expect(browser.page.title == "Check your email")
            #expect(browser.page.text.contains("If ada@example.com can be used here, we've sent a code to it."))
            #expect(!browser.page.text.contains("Until then, your email stays as it is."))
            try await browser.press("Continue", ["code": try await server.deliveredMail().code])
            #expect(browser.page.done == "Your email has been changed.")
        }
    }

    @Test("A taken address looks the same, and its owner gets a mail")
    func taken() async throws {
        try await with(sendsMail: true) { server, browser in
            let owner: AuthJSON = [
                "email": "ada@example.com", "password": .string(TestServer.password), "email_confirm": true,
            ]
            #expect(try await server.admin(.post, "/users", json: owner).status == 200)
            _ = try await signUp(browser)
            #expect(browser.page.title == "Check your email")
            #expect(try await server.deliveredMail().mail.content.kind == .accountExists)
        }
    }

    @Test("A cancelled ceremony and a wrong answer return to the form, with what was typed")
    func failures() async throws {
        try await with { _, browser in
            for (field, answer) in [("failure", "NotAllowedError"), ("credential", "{}")] {
                try await browser.click("/account/sign-up/passkey")
                try await browser.press("Continue", Self.person)
                try await browser.press("Continue", [field: answer])
                #expect(browser.page.problem == "The passkey didn't work. Please try again.")
                #expect(browser.page.text.contains("value=\"ada@example.com\""))
            }
        }
    }

    @Test("Where the server creates no such accounts, the sign-up page has no button and the page leads back to it")
    func off() async throws {
        try await with(allowsSignUp: false) { _, browser in
            #expect(!browser.page.text.contains("Create Account with a Passkey"))
            try await browser.click("/account/sign-up/passkey")
            #expect(browser.page.path == "/account/sign-up")
        }
    }
}
