import AccountDomain
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// An authenticator app with one secret.
struct TestApp {
    let factor: String
    let codes: TimeCode

    /// Reads the answer to a new factor.
    init?(_ answer: TestAnswer) {
        guard let factor = answer["id"]?.stringValue, let secret = answer["totp"]?["secret"]?.stringValue,
            let bytes = Base32.decode(secret.utf8)
        else { return nil }
        (self.factor, codes) = (factor, TimeCode(secret: bytes))
    }

    func code(_ server: TestServer, steps: Int64 = 0) -> String {
        codes.code(of: TimeCode.step(at: server.clock.now) + steps)
    }
}

extension TestServer {
    func enroll(_ session: TestSession, named name: String = "app") async throws -> TestApp {
        let answer = try await send(
            .post, "/auth/v1/factors", bearer: session.accessToken,
            json: ["factor_type": "totp", "friendly_name": .string(name), "issuer": "example.org"])
        return try #require(TestApp(answer), "\(answer)")
    }

    func challenge(_ factor: String, _ session: TestSession) async throws -> String {
        let answer = try await send(.post, "/auth/v1/factors/\(factor)/challenge", bearer: session.accessToken)
        return try #require(answer["id"]?.stringValue, "\(answer)")
    }

    func answer(_ code: String, of app: TestApp, _ challenge: String, _ session: TestSession) async throws -> TestAnswer
    {
        try await send(
            .post, "/auth/v1/factors/\(app.factor)/verify", bearer: session.accessToken,
            json: ["challenge_id": .string(challenge), "code": .string(code)])
    }

    /// A minute passes, so that the next code differs.
    func raised(_ session: TestSession, by app: TestApp) async throws -> TestSession {
        clock.advance(by: .seconds(60))
        let challenge = try await challenge(app.factor, session)
        let answer = try await answer(code(of: app), of: app, challenge, session)
        return try #require(TestSession(answer), "\(answer)")
    }

    func code(of app: TestApp) -> String { app.code(self) }

    /// In a session that had the app's code.
    func protected() async throws -> (session: TestSession, app: TestApp) {
        let first = try await signUp()
        let app = try await enroll(first)
        return (try await raised(first, by: app), app)
    }

    /// A session with the password alone.
    func low() async throws -> TestSession { try #require(TestSession(try await signIn())) }
}

extension FactorRules {
    /// With recovery codes.
    static var withCodes: FactorRules {
        var rules = FactorRules()
        rules.enrolling = [.totp, .recoveryCodes]
        rules.verifying = [.totp, .recoveryCodes]
        rules.recoveryCodes.count = 4
        rules.recoveryCodes.attempts = 3
        return rules
    }
}
