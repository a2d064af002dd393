import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing

@Suite("Notices of second factors and passkeys")
struct FactorNoticeTests {
    private static let all: Set<MailKind> = Set(MailKind.allCases.filter(\.isNotice)).subtracting([.newDevice])

    private func serve(
        on kind: TestDatabase, _ notices: Set<MailKind> = all, confirmsAutomatically: Bool = false,
        _ test: (TestServer, TestSession) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { settings in
            PasskeyClient.settings()(&settings)
            settings.mail = MailRules()
            settings.mail?.notices = notices
            settings.confirmsAutomatically = confirmsAutomatically
        } _: { server in
            if confirmsAutomatically { _ = try await server.signUp() } else { try await server.confirmed() }
            try await test(server, server.low())
        }
    }

    /// Since the last call, each with its address.
    private func notices(_ server: TestServer) async throws -> [String] {
        try await server.deliveredMails().filter(\.content.kind.isNotice).map {
            "\($0.content.kind.rawValue) \($0.content.recipient.text)"
        }
    }

    @Test("A new passkey and a deleted one are reported once each, with the device", arguments: TestDatabase.all)
    func passkeys(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, session in
            var client = PasskeyClient(server)
            let made = try await client.register(session)
            #expect(made.status == 200)
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.kind == .passkeyCreated && notice.recipient.text == "ada@example.com")
            #expect(notice.notice?.time == server.clock.now && notice.notice?.device?.isEmpty == false)
            // The software authenticator's model is not in the list.
            #expect(notice.notice?.authenticator == nil)
            let path = "/auth/v1/passkeys/\(made["id"]?.stringValue ?? "")"
            // A thief could write to the owner with a name.
            let name: AuthJSON = ["friendly_name": "Call 555-0100 now"]
            #expect(try await server.send(.patch, path, bearer: session.accessToken, json: name).status == 200)
            #expect(try await server.send(.delete, path, bearer: session.accessToken).status == 204)
            let deleted = try await server.deliveredMail().mail.content
            #expect(deleted.kind == .passkeyDeleted && deleted.notice?.authenticator == nil)
            #expect(try await server.send(.delete, path, bearer: session.accessToken).status == 404)
            #expect(try await notices(server).isEmpty)
        }
    }

    @Test("A refused registration and a passkey's sign-up bring no notice", arguments: TestDatabase.all)
    func none(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, session in
            var client = PasskeyClient(server)
            let begun = try await client.post("/registration/options", bearer: session.accessToken)
            let credential = try client.device.create(
                #require(begun.json["options"]), origin: PasskeyClient.origin)
            let answer = PasskeyClient.answer(begun, credential)
            let path = "/registration/verify"
            #expect(try await client.post(path, bearer: session.accessToken, answer).status == 200)
            #expect(try await client.post(path, bearer: session.accessToken, answer).status == 400)
            #expect(try await notices(server) == ["passkey_created_notification ada@example.com"])
            var other = PasskeyClient(server)
            #expect(try await other.signUp().status == 200)
            #expect(try await notices(server).isEmpty)
        }
    }

    @Test(
        "A factor that is added or removed, recovery codes and each used one are reported", arguments: TestDatabase.all)
    func factors(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, session in
            let app = try await server.enroll(session)
            let raised = try await server.raised(session, by: app)
            let to = "_notification ada@example.com"
            #expect(try await notices(server) == ["mfa_factor_enrolled" + to])
            let path = "/auth/v1/factors/recovery-codes"
            let made = try await server.send(.post, path, bearer: raised.accessToken)
            let code = try #require(made["codes"]?.arrayValue?.first)
            #expect(try await notices(server) == ["mfa_factor_enrolled" + to])
            let low = try await server.low()
            for status in [200, 422] {
                let answer = try await server.send(
                    .post, path + "/verify", bearer: low.accessToken, json: ["code": code])
                #expect(answer.status == status)
            }
            #expect(try await notices(server) == ["recovery_code_used" + to])
            let again = try await server.send(.post, path + "/regenerate", bearer: raised.accessToken)
            #expect(again.status == 200)
            #expect(try await notices(server) == ["recovery_codes_replaced" + to])
            #expect(try await server.send(.delete, path, bearer: raised.accessToken).status == 200)
            #expect(try await notices(server) == ["mfa_factor_unenrolled" + to])
        }
    }

    @Test("Each has a setting")
    func perSetting() async throws {
        try await serve(on: .usual, [.passkeyDeleted]) { server, session in
            try await addsUnseen(server, session)
        }
    }

    @Test("Where addresses count as confirmed without a mail, only proven ones get notices")
    func unproven() async throws {
        try await serve(on: .usual, confirmsAutomatically: true) { server, session in
            try await addsUnseen(server, session)
        }
    }

    private func addsUnseen(_ server: TestServer, _ session: TestSession) async throws {
        var client = PasskeyClient(server)
        let made = try await client.register(session)
        #expect(made.status == 200)
        #expect(try await notices(server).isEmpty)
    }
}
