import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

@Suite("Security keys on the account pages")
struct KeyStepTests {
    private func with(_ test: (TestServer) async throws -> Void) async throws {
        let party = try TestServer.keyParty
        try await TestServer.with(
            hasPages: true, factors: TestServer.keyRules, change: { $0.identity = AppIdentity(party: party) }, test)
    }

    /// At the second step.
    private func withKey(_ test: (TestServer, WebBrowser, inout SoftAuthenticator) async throws -> Void) async throws {
        try await with { server in
            let session = try await server.signUp()
            var device = SoftAuthenticator()
            try await server.addKey(session, &device)
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Confirm It's You")
            try await test(server, browser, &device)
        }
    }

    @Test("The challenge is made after a press, and an answer that comes late or twice gets a message")
    func challenge() async throws {
        try await withKey { server, browser, device in
            #expect(!browser.page.text.contains("data-options"))
            try await browser.press("Use a Security Key")
            #expect(browser.page.title == "Security Key")
            let late = try device.get(browser.page.keyOptions, origin: TestServer.keyOrigin)
            server.clock.advance(by: .seconds(400))
            try await browser.press("Continue", ["credential": late.text])
            #expect(browser.page.problem == "The security key didn't work. Please try again.")
            try await browser.press("Use a Security Key")
            let form = try #require(browser.page.forms.first { $0.button == "Continue" })
            let right = try device.get(browser.page.keyOptions, origin: TestServer.keyOrigin)
            let fields = form.fields.filter { $0.name != "credential" } + [(name: "credential", value: right.text)]
            try await browser.send(form.action, fields)
            #expect(browser.page.title == "Account")
            try await browser.send(form.action, fields)
            #expect(browser.page.problem == "The security key didn't work. Please try again.")
            #expect(try await browser.open("/account").title == "Account")
        }
    }

    @Test("A key gets a name of the pages, also if a stranger with the session had begun to add one with another")
    func name() async throws {
        try await with { server in
            let session = try await server.signUp()
            let made = try await server.factors(
                "", session, ["factor_type": "webauthn", "friendly_name": "Call 555 0100 at once"])
            #expect(made.status == 200)
            let browser = WebBrowser(server)
            try await browser.open("/account/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.open("/account/security-keys")
            try await browser.press("Set Up")
            try await browser.open("/account/security-keys")
            // The factor that these pages made waits.
            try await browser.press("Set Up")
            var device = SoftAuthenticator()
            let credential = try device.create(browser.page.keyOptions, origin: TestServer.keyOrigin)
            let form = try #require(browser.page.forms.first { $0.button == "Continue" })
            let fields = form.fields.filter { $0.name != "credential" } + [(name: "credential", value: credential.text)]
            try await browser.send(form.action, fields)
            #expect(browser.page.done == "The security key has been added.")
            try await browser.open("/account/security-keys")
            let names = WebPage.between("<span class=\"entry\">", "<", in: browser.page.text)
            #expect(names == ["Security Key"])
        }
    }
}
