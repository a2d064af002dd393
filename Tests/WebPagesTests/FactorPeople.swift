import AccountDomain
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

extension TestServer {
    /// A call to the factors of the user.
    func factors(_ path: String, _ session: TestSession, _ json: AnyJSON? = nil) async throws -> TestAnswer {
        try await send(.post, "/auth/v1/factors\(path)", bearer: session.accessToken, json: json)
    }

    /// Adds an authenticator app beside the pages.
    func addApp(_ session: TestSession, named name: String = "app") async throws -> TimeCode {
        let made = try await factors("", session, ["factor_type": "totp", "friendly_name": .string(name)])
        let codes = TimeCode(secret: try #require(Base32.decode((made["totp"]?["secret"]?.stringValue ?? "").utf8)))
        let path = "/\(made["id"]?.stringValue ?? "")"
        let challenge = try await factors(path + "/challenge", session)
        let raised = try await factors(
            path + "/verify", session,
            ["challenge_id": challenge["id"] ?? .null, "code": .string(codes.code(at: clock.now))])
        #expect(raised.status == 200)
        return codes
    }

    /// Each code counts once.
    func nextCode(_ codes: TimeCode) -> String {
        clock.advance(by: .seconds(60))
        return codes.code(at: clock.now)
    }
}

extension TimeCode {
    func code(at now: Instant) -> String { code(of: Self.step(at: now)) }
}
