import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

@Suite("Passkeys on the account pages")
struct PasskeyPageTests {
    private static let origin = "https://app.example.org"

    private static func withPasskeys(_ settings: inout AuthSettings) {
        settings.passkeys = PasskeyRules()
        // Ignored: these values are valid.
        settings.identity = (try? RelyingParty(id: "example.org", name: "Example", origins: [origin])).map {
            AppIdentity(party: $0)
        }
    }

    private func with(
        limits: AuthRates? = nil, policy: SessionPolicy = SessionPolicy(), providers: TestProviders? = nil,
        factors: FactorRules? = nil, _ test: (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        try await TestServer.with(
            limits: limits, policy: policy, providers: providers, hasPages: true, factors: factors,
            change: Self.withPasskeys
        ) { server in
            _ = try await server.signUp()
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Account")
            try await test(server, browser)
        }
    }

    /// Does what the page's script does.
    @discardableResult
    private func addPasskey(_ browser: WebBrowser) async throws -> SoftAuthenticator {
        try await browser.open("/account/passkeys")
        try await browser.press("Add a Passkey")
        #expect(browser.page.title == "Add a Passkey")
        var device = SoftAuthenticator()
        let credential = try device.create(try options(browser), origin: Self.origin)
        try await browser.press("Continue", ["credential": credential.text])
        #expect(browser.page.done == "The passkey has been added.")
        return device
    }

    private func options(_ browser: WebBrowser) throws -> AuthJSON {
        let escaped = try #require(WebPage.between("data-options=\"", "\"", in: browser.page.text).first)
        return try JSONReader.read(escaped.replacing("&quot;", with: "\"").replacing("&amp;", with: "&"))
    }

    @Test("A passkey of the account answers the question of a provider's identity, and the identity is linked")
    func linkQuestion() async throws {
        try await with(providers: TestProviders(linking: .confirm)) { server, browser in
            let other = WebBrowser(server)
            func ask() async throws {
                try await other.click("/account/provider/google")
                let email = SignInPageTests.person["email"] ?? ""
                try await other.send(other.page.path, [("person", "existing"), ("email", email)], headers: [:])
                #expect(other.page.title == "Link Accounts")
            }
            try await ask()
            #expect(!other.page.forms.contains { $0.button == "Sign in with a Passkey" })
            var device = try await addPasskey(browser)
            try await ask()
            try await other.press("Sign in with a Passkey", ["credential": ""])
            #expect(other.page.title == "Link Accounts" && other.page.problem != nil)
            let credential = try device.get(try options(other), origin: Self.origin)
            try await other.press("Sign in with a Passkey", ["credential": credential.text])
            #expect(other.page.title == "Account")
            try await other.open("/account/methods")
            #expect(other.page.text.contains("Google"))
        }
    }

    private func openPasskey(_ browser: WebBrowser) async throws {
        let link = try #require(WebPage.between("href=\"/account/passkeys/passkey?", "\"", in: browser.page.text).first)
        try await browser.open("/account/passkeys/passkey?\(link)")
    }

    @Test("The list of passkeys counts as no registration, and shows and removes one after many were begun")
    func list() async throws {
        try await with(limits: AuthRates()) { server, browser in
            try await addPasskey(browser)
            let thief = try #require(TestSession(try await server.signIn()))
            for _ in 0..<30 {
                _ = try await server.send(
                    .post, "/auth/v1/passkeys/registration/options", bearer: thief.accessToken)
            }
            try await browser.press("Add a Passkey")
            #expect(browser.page.title == "Passkeys")
            #expect(browser.page.problem?.hasPrefix("Too many attempts.") == true)
            for _ in 0..<31 { try await browser.open("/account/passkeys") }
            #expect(browser.page.status == 200)
            try await openPasskey(browser)
            try await browser.press("Remove")
            #expect(browser.page.done == "The passkey has been removed.")
        }
    }

    @Test("The list asks for no proof; adding a passkey does, and Cancel leads to a page that asks for none")
    func proof() async throws {
        var policy = SessionPolicy()
        policy.freshSignIn = .seconds(600)
        var rules = FactorRules()
        (rules.enrolling, rules.verifying) = ([.totp], [.totp])
        try await with(policy: policy, factors: rules) { server, browser in
            try await browser.open("/account/authenticator")
            try await browser.press("Set Up")
            let key = try #require(
                WebPage.between("<p class=\"key\"><code dir=\"ltr\" translate=\"no\">", "<", in: browser.page.text)
                    .first)
            let codes = TimeCode(secret: try #require(Base32.decode(key.replacing(" ", with: "").utf8)))
            try await browser.press("Continue", ["code": codes.code(of: TimeCode.step(at: server.clock.now))])
            server.clock.advance(by: .seconds(700))
            try await browser.open("/account/passkeys")
            #expect(browser.page.title == "Passkeys")
            try await browser.press("Add a Passkey")
            #expect(browser.page.title == "Confirm It's You")
            try await browser.press("Cancel")
            #expect(browser.page.title == "Account")
            // The page that asked is forgotten.
            try await browser.open("/account/sign-in")
            #expect(browser.page.title == "Account")
        }
    }

    @Test("A passkey keeps its name if the new one is empty or too long, and the page says which it is")
    func names() async throws {
        try await with { _, browser in
            try await addPasskey(browser)
            try await openPasskey(browser)
            for name in ["", " "] {
                try await browser.press("Save", ["name": name])
                #expect(browser.page.problem == "The name is missing. Please enter a name.")
            }
            try await browser.press("Save", ["name": String(repeating: "鍵", count: 60)])
            #expect(browser.page.problem == "The name is too long. Please enter a shorter name.")
            try await browser.press("Save", ["name": String(repeating: "鍵", count: 40)])
            #expect(browser.page.done == "Your changes have been saved.")
        }
    }

    @Test("A query fills no field of a form")
    func queries() async throws {
        try await with { _, browser in
            try await addPasskey(browser)
            let link = try #require(
                WebPage.between("href=\"/account/passkeys/passkey?", "\"", in: browser.page.text).first)
            let paths = [
                "/passkeys/passkey?\(link)&name=evil", "/email?email=evil@example.com&current=evil",
                "/security?current=evil&code=evil",
            ]
            for path in paths {
                try await browser.open("/account\(path)")
                #expect(browser.page.status == 200 && !browser.page.text.contains("value=\"evil"), "\(path)")
                #expect(!browser.page.text.contains("Current Password"), "\(path)")
            }
        }
    }

    @Test("With a passkey, the only identity can be removed")
    func onlyIdentity() async throws {
        try await with { _, browser in
            let advice = "Add another way to sign in before you remove this one."
            try await browser.open("/account/methods")
            #expect(browser.page.text.contains(advice) && !browser.page.forms.contains { $0.button == "Remove" })
            try await addPasskey(browser)
            try await browser.open("/account/methods")
            #expect(!browser.page.text.contains(advice))
            try await browser.press("Remove")
            try await browser.press("Remove")
            #expect(browser.page.done == "The sign-in method has been removed.")
        }
    }
}
