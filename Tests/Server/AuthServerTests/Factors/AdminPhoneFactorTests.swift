import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("An administrator changes a factor's number")
struct AdminPhoneFactorTests {
    private static let (number, other) = ("491701234567", "491701234568")

    private struct Owner {
        let session: TestSession
        let factor: String
        var path: String { "/users/\(session.userID)/factors/\(factor)" }
    }

    private func serve(
        on kind: TestDatabase, delay: Duration? = nil, _ test: (TestServer) async throws -> Void
    ) async throws {
        var rules = FactorRules.withPhones
        rules.removalDelay = delay
        try await TestServer.with(on: kind, factors: rules) { settings in
            settings.mail = MailRules()
            settings.mail?.notices = [.phoneChanged]
            settings.confirmsAutomatically = false
            settings.allowsPhone = true
            settings.texts = .test()
        } _: { server in
            try await test(server)
        }
    }

    /// With a verified number.
    private func owner(_ server: TestServer) async throws -> Owner {
        try await server.confirmed()
        let first = try await server.low()
        let made = try await server.send(
            .post, "/auth/v1/factors", bearer: first.accessToken,
            json: ["factor_type": "phone", "phone": .string(Self.number), "friendly_name": "mine"])
        let factor = try #require(made["id"]?.stringValue, "\(made)")
        let asked = try await ask(factor, first, server)
        let code = try await server.textedCode(to: Self.number)
        let raised = try await answer(code, asked, factor, first, server)
        return Owner(session: try #require(TestSession(raised), "\(raised)"), factor: factor)
    }

    private func ask(_ factor: String, _ session: TestSession, _ server: TestServer) async throws -> String {
        let asked = try await server.send(.post, "/auth/v1/factors/\(factor)/challenge", bearer: session.accessToken)
        return try #require(asked["id"]?.stringValue, "\(asked)")
    }

    private func answer(
        _ code: String, _ challenge: String, _ factor: String, _ session: TestSession, _ server: TestServer
    ) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/factors/\(factor)/verify", bearer: session.accessToken,
            json: ["challenge_id": .string(challenge), "code": .string(code)])
    }

    @Test("Codes go to the new number, and what the old one proved ends", arguments: TestDatabase.all)
    func moves(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let owner = try await owner(server)
            server.passInterval()
            let low = try await server.low()
            let old = try await ask(owner.factor, low, server)
            let oldCode = try await server.textedCode(to: Self.number)
            let moved = try await server.admin(.put, owner.path, json: ["phone": "+49 170 1234568"])
            #expect(moved.status == 200 && moved["phone"]?.stringValue == Self.other, "\(moved)")
            #expect(moved["status"] == "verified" && moved["friendly_name"] == "mine")
            #expect(try await answer(oldCode, old, owner.factor, low, server).status == 422)
            // The session that the old number raised is at the first level again.
            let refreshed = try #require(TestSession(try await server.refresh(owner.session.refreshToken)))
            #expect(try await server.change(refreshed, ["password": "a new password 12"]).code == "insufficient_aal")
            let notice = try await server.deliveredMails().map(\.content).first { $0.kind == .phoneChanged }?.notice
            #expect(notice?.phone == Self.other && notice?.oldPhone == Self.number && notice?.device == nil)
            server.passInterval()
            let asked = try await ask(owner.factor, low, server)
            let code = try await server.textedCode(to: Self.other)
            #expect(try await answer(code, asked, owner.factor, low, server).status == 200)
            let log = try await server.admin(.get, "/audit?query=action:factor_updated")
            #expect(log.json.arrayValue?.count == 1)
        }
    }

    @Test("A number that cannot be a factor's is refused, and changes nothing", arguments: TestDatabase.all)
    func refuses(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let owner = try await owner(server)
            let cases: [(path: String, phone: String, code: String)] = [
                (owner.path, "letters", "validation_failed"), (owner.path, "+81312345678", "sms_send_failed"),
            ]
            for refused in cases {
                let answer = try await server.admin(
                    .put, refused.path, json: ["phone": .string(refused.phone), "friendly_name": "renamed"])
                #expect(answer.status >= 400 && answer.code == refused.code, "\(refused) \(answer)")
            }
            let kept = try await server.admin(.put, owner.path, json: ["phone": "", "friendly_name": ""])
            #expect(kept["phone"]?.stringValue == Self.number && kept["friendly_name"] == "mine", "\(kept)")
        }
    }

    @Test("Where removals are delayed, a verified factor keeps its number", arguments: TestDatabase.all)
    func delayed(_ kind: TestDatabase) async throws {
        try await serve(on: kind, delay: .seconds(86_400)) { server in
            let owner = try await owner(server)
            let refused = try await server.admin(.put, owner.path, json: ["phone": .string(Self.other)])
            #expect(refused.status == 400 && refused.code == "validation_failed", "\(refused)")
            let same = try await server.admin(
                .put, owner.path, json: ["phone": .string(Self.number), "friendly_name": "work"])
            #expect(same.status == 200 && same["friendly_name"] == "work", "\(same)")
        }
    }
}
