import AccountDomain
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("The question to which account a provider's identity belongs")
struct LinkQuestionTests {
    /// Google vouches for this address.
    private static let email = "grace@example.com"

    private func asked(_ server: TestServer) async throws -> WebBrowser {
        let made = try await server.send(
            .post, "/auth/v1/signup",
            json: ["email": .string(Self.email), "password": .string(TestServer.password)])
        #expect(made.status == 200)
        let browser = WebBrowser(server)
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

    @Test("Starting anew takes a ticked box, and makes an account of its own")
    func recovery() async throws {
        try await TestServer.with(providers: TestProviders(), hasPages: true) { server in
            let browser = try await asked(server)
            let form = try #require(browser.page.forms.first { $0.button == "Start Anew with This Email" })
            try await browser.send(form.action, form.fields.filter { $0.name != "sure" })
            #expect(browser.page.title == "Link Accounts")
            try await browser.press("Start Anew with This Email", ["sure": "yes"])
            #expect(browser.page.title == "Account")
            #expect(try await server.signIn(Self.email).status == 400)
        }
    }
}
