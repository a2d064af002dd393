import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

extension FactorRules {
    static var withPhones: FactorRules {
        var rules = FactorRules()
        rules.enrolling = [.totp, .phone]
        rules.verifying = [.totp, .phone]
        return rules
    }
}

extension TextRules {
    static func test(_ change: (inout TextRules) -> Void = { _ in }) -> TextRules {
        var rules = TextRules()
        rules.prefixes = ["1", "49"]
        change(&rules)
        return rules
    }
}

extension TestServer {
    static let number = "15551230001"

    /// The server confirms numbers by text message, and addresses by email.
    static func phoning(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, hooks: TestHooks = TestHooks(),
        rules: TextRules = .test(), _ test: (TestServer) async throws -> Void
    ) async throws {
        try await with(on: kind, limits: limits, hooks: hooks, factors: .withPhones) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
            settings.allowsPhone = true
            settings.texts = rules
        } _: { server in
            try await test(server)
        }
    }

    func signUpByPhone(
        _ password: String = TestServer.password, _ number: String = TestServer.number
    ) async throws -> TestAnswer {
        try await post("/signup", ["phone": .string("+" + number), "password": .string(password)])
    }

    func signInByPhone(
        _ password: String = TestServer.password, _ number: String = TestServer.number
    ) async throws -> TestAnswer {
        try await post("/token?grant_type=password", ["phone": .string(number), "password": .string(password)])
    }

    func askForCode(_ number: String = TestServer.number, _ more: AuthJSONObject = [:]) async throws -> TestAnswer {
        var json: AuthJSONObject = ["phone": .string(number)]
        json.merge(more) { $1 }
        return try await post("/otp", .object(json))
    }

    /// Of the newest message to the number.
    func textedCode(to number: String = TestServer.number) async throws -> String {
        let texts = try await deliveredMails().filter { $0.content.recipient == .phone(PhoneNumber(number)!) }
        return try #require(texts.last?.content.code).reveal()
    }

    func verifyText(
        _ code: String, _ number: String = TestServer.number, type: String = "sms", bearer: String? = nil
    ) async throws -> TestAnswer {
        try await send(
            .post, "/auth/v1/verify", bearer: bearer,
            json: ["type": .string(type), "token": .string(code), "phone": .string(number)])
    }

    /// A person who has signed in by a texted code.
    func phoned(_ number: String = TestServer.number) async throws -> TestSession {
        #expect(try await askForCode(number).status == 200)
        let answer = try await verifyText(try await textedCode(to: number), number)
        return try #require(TestSession(answer), "\(answer)")
    }

    func change(_ session: TestSession, _ json: AuthJSON) async throws -> TestAnswer {
        try await send(.put, "/auth/v1/user", bearer: session.accessToken, json: json)
    }
}
