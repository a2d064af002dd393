import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

extension TestServer {
    static let number = "15551230001"
    static let german = "491701234567"

    /// Texts codes, which also are second factors, and has account pages.
    static func texting(
        on kind: TestDatabase = .usual, hasConsole: Bool = false,
        _ test: (TestServer, WebBrowser) async throws -> Void
    ) async throws {
        var factors = FactorRules()
        factors.enrolling = [.phone]
        factors.verifying = [.phone]
        try await with(on: kind, hasPages: true, hasConsole: hasConsole, factors: factors) { settings in
            settings.mail = MailRules()
            settings.allowsPhone = true
            settings.texts = TextRules()
            settings.texts?.prefixes = ["1", "49"]
        } _: { server in
            try await test(server, WebBrowser(server))
        }
    }

    /// Of the newest message to the number.
    func textedCode(to number: String) async throws -> String {
        let recipient = try #require(PhoneNumber(number))
        let texts = try await deliveredMails().filter { $0.content.recipient == .phone(recipient) }
        return try #require(texts.last?.content.code).reveal()
    }

    /// Between two messages to a number.
    func passInterval() { clock.advance(by: .seconds(61)) }

    static func wrong(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    /// By the administrator, with a password.
    func makePhoned(_ number: String = TestServer.number) async throws {
        let made = try await admin(
            .post, "/users",
            json: ["phone": .string(number), "password": .string(TestServer.password), "phone_confirm": true])
        #expect(made.status == 200, "\(made)")
    }
}

extension WebBrowser {
    /// With the texted code.
    func signIn(_ server: TestServer, by number: String) async throws {
        try await open("/account/sign-in/phone")
        try await press("Text Me a Code", ["phone": "+" + number])
        try await press("Continue", ["code": try await server.textedCode(to: number)])
        #expect(page.title == "Account", "\(page)")
    }
}
