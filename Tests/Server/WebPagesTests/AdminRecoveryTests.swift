import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A mail to set a new password with, from an operator")
struct AdminRecoveryTests {
    private static let new = "another horse 43"

    private func addUser(_ server: TestServer, _ members: AuthJSONObject = [:]) async throws -> String {
        let made: AuthJSONObject = [
            "email": .string(SignInPageTests.email), "password": .string(TestServer.password), "email_confirm": true,
        ]
        let answer = try await server.admin(.post, "/users", json: .object(made.merging(members) { $1 }))
        #expect(answer.status == 200)
        return answer["id"]?.stringValue ?? ""
    }

    @Test(
        "The console sends it in the user's language, and its link leads any browser to the page for a new password",
        arguments: [false, true], TestDatabase.all)
    func console(opensAtOnce: Bool, kind: TestDatabase) async throws {
        try await TestServer.with(
            on: kind, hasPages: true, hasConsole: true,
            change: {
                SignInPageTests.withMail(&$0)
                $0.mail?.opensLinksAtOnce = opensAtOnce
                $0.allowsImplicitFlow = opensAtOnce
            }
        ) { server in
            let id = try await addUser(server, ["user_metadata": ["locale": "es"]])
            let console = WebBrowser(server)
            console.language = "de"
            try await console.open("/console/sign-in")
            try await console.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await console.open("/console/users/\(id)/reset")
            try await console.press("Send Password Reset")
            #expect(console.page.text.contains("user_recovery_requested"))
            let mail = try await server.deliveredMail()
            #expect(mail.mail.content.kind == .recovery && mail.mail.content.language == nil)
            #expect(mail.mail.content.data["locale"] == "es")

            let browser = WebBrowser(server)
            try await browser.open(mail.path)
            #expect(browser.page.title == "Set a Password" && browser.page.path == "/account/recover")
            try await browser.press("Continue", ["email": SignInPageTests.email, "code": "000000"])
            #expect(browser.page.problem?.hasPrefix("The code is wrong or has expired.") == true)
            #expect(browser.page.text.contains("value=\"ada@example.com\""))
            try await browser.press("Continue", ["email": SignInPageTests.email, "code": mail.code])
            #expect(browser.page.title == "Set a Password" && browser.page.path == "/account/new-password")
            try await browser.press("Save Password", ["password": Self.new, "confirmation": Self.new])
            #expect(browser.page.done == "Your password has been saved.")
            #expect(try await server.signIn(SignInPageTests.email, password: Self.new).status == 200)
            // The link is used up.
            try await WebBrowser(server).open(mail.path)
            try await browser.open("/account")
            #expect(browser.page.title == "Account")
        }
    }

    @Test("The console says when the budget of mails is full")
    func fullBudget() async throws {
        var rates = AuthRates()
        rates.mails = 0
        try await TestServer.with(
            limits: rates, hasPages: true, hasConsole: true, change: SignInPageTests.withMail
        ) { server in
            let id = try await addUser(server)
            let console = WebBrowser(server)
            try await console.open("/console/sign-in")
            try await console.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await console.open("/console/users/\(id)/reset")
            try await console.press("Send Password Reset")
            #expect(console.page.problem?.hasPrefix("The email queue is too long") == true, "\(console.page)")
            let phone = try await server.admin(
                .post, "/users", json: ["phone": "4915550100", "password": .string(TestServer.password)])
            let path = "/users/\(phone["id"]?.stringValue ?? "")/recover"
            #expect(try await server.admin(.post, path).status == 400, "without an address")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A link that is used or too old leads to the page that sends another mail")
    func used() async throws {
        try await TestServer.with(hasPages: true, change: SignInPageTests.withMail) { server in
            let id = try await addUser(server)
            #expect(try await server.admin(.post, "/users/\(id)/recover").status == 204)
            let mail = try await server.deliveredMail()
            server.clock.advance(by: .seconds(90_000))
            let browser = WebBrowser(server)
            try await browser.open(mail.path)
            #expect(browser.page.title == "Forgot password?")
            #expect(browser.page.problem?.hasPrefix("The link couldn't be opened.") == true)
        }
    }

    @Test("Without account pages the link leads to the site, and asks for the code where the implicit flow is on")
    func withoutPages() async throws {
        try await TestServer.with(
            change: {
                SignInPageTests.withMail(&$0)
                $0.allowsImplicitFlow = true
            }
        ) { server in
            let id = try await addUser(server)
            #expect(try await server.admin(.post, "/users/\(id)/recover").status == 204)
            let mail = try await server.deliveredMail()
            #expect(mail.path.hasSuffix("redirect_to=\(server.settings.redirects.siteURL)"))
            #expect(try await server.send(.get, mail.path).text.contains("name=\"code\""))
        }
    }

    @Test("Only an administrator may, for an account with an address, on a server that sends mail")
    func refusals() async throws {
        try await TestServer.with(change: SignInPageTests.withMail) { server in
            let id = try await addUser(server)
            let session = try #require(TestSession(try await server.signIn()))
            let path = "/auth/v1/admin/users/\(id)/recover"
            #expect(try await server.send(.post, path).status == 401)
            #expect(try await server.send(.post, path, bearer: session.accessToken).status == 403)
            let nobody = "/users/6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b/recover"
            #expect(try await server.admin(.post, nobody).text.contains("user_not_found"))
            let phone = try await server.admin(
                .post, "/users", json: ["phone": "4915550100", "password": .string(TestServer.password)])
            let other = try await server.admin(.post, "/users/\(phone["id"]?.stringValue ?? "")/recover")
            #expect(other.status == 400)
            #expect(try await server.deliveredMails().isEmpty)
        }
        try await TestServer.with { server in
            let id = try await addUser(server)
            let refused = try await server.admin(.post, "/users/\(id)/recover")
            #expect(refused.status == 422 && refused.text.contains("email_provider_disabled"))
        }
    }
}
