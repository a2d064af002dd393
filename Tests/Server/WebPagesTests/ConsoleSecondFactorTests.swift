import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing

@Suite("Second factors and passkeys in the console")
struct ConsoleSecondFactorTests {
    /// An administrator with an authenticator app.
    private func protectedAdministrator(_ server: TestServer) async throws -> (id: String, codes: TimeCode) {
        let session = try await server.signUp()
        let path = "/auth/v1/factors"
        let made = try await server.send(
            .post, path, bearer: session.accessToken, json: ["factor_type": "totp", "friendly_name": "phone"])
        let factor = try #require(made["id"]?.stringValue)
        let codes = TimeCode(
            secret: try #require(Base32.decode((made["totp"]?["secret"]?.stringValue ?? "").utf8)))
        let challenge = try await server.send(.post, "\(path)/\(factor)/challenge", bearer: session.accessToken)
        let raised = try await server.send(
            .post, "\(path)/\(factor)/verify", bearer: session.accessToken,
            json: ["challenge_id": challenge["id"] ?? .null, "code": .string(code(codes, server))])
        #expect(raised.status == 200)
        _ = try await server.send(
            .put, "/auth/v1/admin/users/\(session.userID)", bearer: TestServer.secretKey,
            json: ["role": "service_role"])
        return (session.userID, codes)
    }

    private func code(_ codes: TimeCode, _ server: TestServer) -> String {
        codes.code(of: TimeCode.step(at: server.clock.now))
    }

    @Test("An administrator with a second factor enters its code, and sees no page before")
    func administrator() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let (id, codes) = try await protectedAdministrator(server)
            let browser = WebBrowser(server)
            try await browser.open("/console/users/\(id)")
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Confirm It's You")
            let form = try #require(browser.page.forms.first).fields.filter { $0.name == "form" }
            for page in ["/console", "/console/users", "/console/keys"] {
                #expect(try await browser.open(page).title == "Sign In to the Console", "\(page)")
            }
            let keys = try await server.send(.get, "/auth/v1/admin/keys", bearer: TestServer.secretKey).text
            #expect(try await browser.send("/console/keys/rotate", form).title == "Sign In to the Console")
            #expect(try await server.send(.get, "/auth/v1/admin/keys", bearer: TestServer.secretKey).text == keys)
            try await browser.open("/console/users/\(id)")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.press("Continue", ["code": "000000"])
            #expect(browser.page.problem == "The code is wrong or has expired. Please check it, or request a new one.")
            server.clock.advance(by: .seconds(60))
            try await browser.press("Continue", ["code": code(codes, server)])
            #expect(browser.page.title == "ada@example.com")
        }
    }

    @Test("An administrator whose only second factor is a security key enters with it")
    func key() async throws {
        let party = try TestServer.keyParty
        try await TestServer.with(
            hasConsole: true, factors: TestServer.keyRules, change: { $0.identity = AppIdentity(party: party) }
        ) { server in
            let session = try await server.signUp()
            var device = SoftAuthenticator()
            try await server.addKey(session, &device)
            let path = "/users/\(session.userID)"
            #expect(try await server.admin(.put, path, json: ["role": "service_role"]).status == 200)
            let browser = WebBrowser(server)
            try await browser.open("/console" + path)
            try await browser.press("Sign In", SignInPageTests.person)
            #expect(browser.page.title == "Confirm It's You" && !browser.page.text.contains("<script"))
            try await browser.press("Use a Security Key")
            #expect(browser.page.title == "Security Key")
            #expect(browser.page.text.contains("<script src=\"/console/assets/account.js?v="))
            #expect(browser.page.headers[.contentSecurityPolicy]?.hasSuffix("; script-src 'self'") == true)
            try await browser.press("Continue", ["credential": "{}"])
            #expect(browser.page.problem == "The security key didn't work. Please try again.")
            #expect(try await browser.open("/console/users").title == "Sign In to the Console")
            try await browser.press("Sign In", SignInPageTests.person)
            try await browser.press("Use a Security Key")
            let right = try device.get(browser.page.keyOptions, origin: TestServer.keyOrigin)
            try await browser.press("Continue", ["credential": right.text])
            #expect(browser.page.title == "Users")
        }
    }

    @Test("A user's second factor is listed, and removed after a question, with an entry in the audit log")
    func removal() async throws {
        try await TestServer.with(hasConsole: true) { server in
            let (id, _) = try await protectedAdministrator(server)
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In with API Key", ["key": TestServer.secretKey])
            try await browser.open("/console/users/\(id)")
            #expect(browser.page.text.contains("Authenticator app") && browser.page.text.contains("In use"))
            let remove = try #require(
                WebPage.between("href=\"/console/users/\(id)/remove-factor?", "\"", in: browser.page.text).first)
            try await browser.open("/console/users/\(id)/remove-factor?\(remove)")
            #expect(browser.page.title == "Remove Second Factor: ada@example.com")
            try await browser.press("Remove Second Factor")
            #expect(browser.page.title == "ada@example.com")
            #expect(browser.page.text.contains("The user signs in without a second factor."))
            #expect(browser.page.text.contains("factor_deleted"))
            #expect(try await server.signIn()["user"]?["factors"]?.arrayValue?.isEmpty != false)
            // Unknown ids change nothing.
            try await browser.open("/console/users/\(id)/remove-factor?id=\(id)")
            try await browser.press("Remove Second Factor")
            #expect(browser.page.status == 404)
        }
    }

    @Test("A user's passkeys are a page of their own, of at most five statements", arguments: TestDatabase.all)
    func passkeys(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasConsole: true) { server in
            let (id, codes) = try await protectedAdministrator(server)
            let browser = WebBrowser(server)
            try await browser.open("/console/sign-in")
            try await browser.press("Sign In", SignInPageTests.person)
            server.clock.advance(by: .seconds(60))
            try await browser.press("Continue", ["code": code(codes, server)])
            for page in ["", "/passkeys"] {
                let count = try await server.statements { try await browser.open("/console/users/\(id)\(page)") }
                // The user's page says why a sign-in fails.
                #expect(count <= (page.isEmpty ? 13 : 5), "\(page): \(count)")
            }
            #expect(browser.page.title == "Passkeys: ada@example.com")
            #expect(browser.page.text.contains("The user has no passkeys."))
        }
    }
}
