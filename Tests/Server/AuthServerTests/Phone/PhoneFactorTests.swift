import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("A number as second factor")
struct PhoneFactorTests {
    private func enroll(_ session: TestSession, _ number: String, _ server: TestServer) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/factors", bearer: session.accessToken,
            json: ["factor_type": "phone", "phone": .string(number), "friendly_name": .string("phone \(number)")])
    }

    private func challenge(
        _ factor: String, _ session: TestSession, _ server: TestServer, _ json: AuthJSON? = nil
    ) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/factors/\(factor)/challenge", bearer: session.accessToken, json: json)
    }

    private func answer(
        _ code: String, _ factor: String, _ challenge: TestAnswer, _ session: TestSession, _ server: TestServer
    ) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/factors/\(factor)/verify", bearer: session.accessToken,
            json: ["challenge_id": challenge["id"] ?? "", "code": .string(code)])
    }

    private static let number = "491701234567"

    private func person(_ server: TestServer) async throws -> TestSession {
        try await server.confirmed()
        return try await server.low()
    }

    @Test("The texted code raises the session, and the next sign-in needs one", arguments: TestDatabase.all)
    func raises(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await person(server)
            let made = try await enroll(session, "+49 170 1234567", server)
            #expect(made.status == 200 && made["type"] == "phone" && made["phone"] == "+49 170 1234567", "\(made)")
            let factor = try #require(made["id"]?.stringValue)
            let asked = try await challenge(factor, session, server)
            #expect(asked["type"] == "phone" && asked["expires_at"]?.intValue != nil, "\(asked)")
            let code = try await server.textedCode(to: Self.number)
            let wrong = try await answer(TestServer.wrong(code), factor, asked, session, server)
            #expect(wrong.status == 422 && wrong.code == "mfa_verification_failed")
            let raised = try await answer(code, factor, asked, session, server)
            #expect(raised.status == 200, "\(raised)")
            #expect(raised["user"]?["factors"]?.arrayValue?.first?["phone"] == "491701234567")
            #expect(raised["user"]?["factors"]?.arrayValue?.first?["factor_type"] == "phone")
            let low = try await server.low()
            let refused = try await server.change(low, ["password": "a new password 12"])
            #expect(refused.code == "insufficient_aal", "\(refused)")
            server.passInterval()
            let again = try await challenge(factor, low, server, ["channel": "sms"])
            let second = try await server.textedCode(to: Self.number)
            #expect(try await answer(code, factor, again, low, server).code == "mfa_verification_failed")
            #expect(try await answer(second, factor, again, low, server).status == 200)
            #expect(try await answer(second, factor, again, low, server).status == 422)
        }
    }

    @Test("A code answers only its own challenge, for five minutes", arguments: TestDatabase.all)
    func ends(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await person(server)
            let factor = try #require(try await enroll(session, Self.number, server)["id"]?.stringValue)
            let first = try await challenge(factor, session, server)
            let code = try await server.textedCode(to: Self.number)
            let early = try await challenge(factor, session, server)
            #expect(early.status == 429 && early.code == "over_sms_send_rate_limit", "\(early)")
            server.clock.advance(by: .seconds(301))
            #expect(try await answer(code, factor, first, session, server).code == "mfa_challenge_expired")
            let second = try await challenge(factor, session, server)
            #expect(try await answer(code, factor, second, session, server).code == "mfa_verification_failed")
        }
    }

    @Test("One number is one factor; an unverified one is replaced", arguments: TestDatabase.all)
    func once(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await person(server)
            let first = try #require(try await enroll(session, Self.number, server)["id"]?.stringValue)
            let second = try #require(try await enroll(session, Self.number, server)["id"]?.stringValue)
            #expect(try await challenge(first, session, server).code == "mfa_factor_not_found")
            let asked = try await challenge(second, session, server)
            let code = try await server.textedCode(to: Self.number)
            let raised = try #require(TestSession(try await answer(code, second, asked, session, server)))
            let taken = try await enroll(raised, Self.number, server)
            #expect(taken.status == 422 && taken.code == "mfa_verified_factor_exists", "\(taken)")
        }
    }

    @Test("Guesses lock the factor, not the account")
    func locks() async throws {
        try await TestServer.phoning { server in
            let session = try await person(server)
            let factor = try #require(try await enroll(session, Self.number, server)["id"]?.stringValue)
            let asked = try await challenge(factor, session, server)
            let code = try await server.textedCode(to: Self.number)
            for _ in 0..<10 { _ = try await answer(TestServer.wrong(code), factor, asked, session, server) }
            #expect(try await answer(code, factor, asked, session, server).status == 429)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("An authenticator app and a number stand beside each other", arguments: TestDatabase.all)
    func both(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            let session = try await person(server)
            let app = try await server.enroll(session)
            let factor = try #require(try await enroll(session, Self.number, server)["id"]?.stringValue)
            let raised = try await server.raised(session, by: app)
            let asked = try await challenge(factor, raised, server)
            let code = try await server.textedCode(to: Self.number)
            let both = try await answer(code, factor, asked, raised, server)
            #expect(both["user"]?["factors"]?.arrayValue?.count == 2, "\(both)")
            let next = try #require(TestSession(both))
            let removed = try await server.send(.delete, "/auth/v1/factors/\(factor)", bearer: next.accessToken)
            #expect(removed.status == 200)
            let low = try await server.low()
            #expect(try await server.change(low, ["password": "a new password 12"]).code == "insufficient_aal")
        }
    }

    @Test("Without a number, or with the kind off, nothing is enrolled")
    func refused() async throws {
        try await TestServer.phoning { server in
            let session = try await person(server)
            let missing = try await server.send(
                .post, "/auth/v1/factors", bearer: session.accessToken, json: ["factor_type": "phone"])
            #expect(missing.code == "validation_failed", "\(missing)")
        }
        try await TestServer.mailing { server in
            let session = try await person(server)
            #expect(try await enroll(session, Self.number, server).code == "mfa_phone_enroll_not_enabled")
        }
    }
}
