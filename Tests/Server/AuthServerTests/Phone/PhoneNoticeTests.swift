import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Notices of changed numbers")
struct PhoneNoticeTests {
    private static let other = "491701234567"

    private func serve(
        on kind: TestDatabase = .usual, _ notices: Set<MailKind> = [.phoneChanged],
        _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, factors: .withPhones) { settings in
            settings.mail = MailRules()
            settings.mail?.notices = notices
            settings.confirmsAutomatically = false
            settings.allowsPhone = true
            settings.texts = .test()
        } _: { server in
            try await test(server)
        }
    }

    private func notices(_ server: TestServer) async throws -> [MailContent] {
        try await server.deliveredMails().map(\.content).filter(\.kind.isNotice)
    }

    private func setNumber(_ number: String, _ session: TestSession, _ server: TestServer) async throws {
        #expect(try await server.change(session, ["phone": .string(number)]).status == 200)
        let code = try await server.textedCode(to: number)
        #expect(try await server.verifyText(code, number, type: "phone_change").status == 200)
    }

    @Test("The confirmed address learns of a number added, changed and removed", arguments: TestDatabase.all)
    func lifetime(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            try await server.confirmed()
            let session = try await server.low()
            _ = try await notices(server)
            try await setNumber(TestServer.number, session, server)
            let added = try #require(try await notices(server).first)
            #expect(added.kind == .phoneChanged && added.recipient.text == "ada@example.com")
            #expect(added.notice?.phone == TestServer.number && added.notice?.oldPhone == nil)
            #expect(added.notice?.device != nil)
            server.passInterval()
            try await setNumber(Self.other, session, server)
            let changed = try #require(try await notices(server).first?.notice)
            #expect(changed.phone == Self.other && changed.oldPhone == TestServer.number)
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            let identity = user["identities"]?.arrayValue?.first { $0["provider"] == "phone" }
            let id = try #require(identity?["identity_id"]?.stringValue)
            let removed = try await server.send(.delete, "/auth/v1/user/identities/\(id)", bearer: session.accessToken)
            #expect(removed.status == 200, "\(removed)")
            let mails = try await notices(server)
            #expect(mails.map { $0.notice?.oldPhone } == [Self.other] && mails.first?.notice?.phone == nil)
        }
    }

    @Test("A number removed as a sign-in method is one notice", arguments: TestDatabase.all)
    func once(_ kind: TestDatabase) async throws {
        try await serve(on: kind, [.phoneChanged, .identityUnlinked]) { server in
            try await server.confirmed()
            let session = try await server.low()
            try await setNumber(Self.other, session, server)
            _ = try await notices(server)
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            let identity = user["identities"]?.arrayValue?.first { $0["provider"] == "phone" }
            let id = try #require(identity?["identity_id"]?.stringValue)
            _ = try await server.send(.delete, "/auth/v1/user/identities/\(id)", bearer: session.accessToken)
            #expect(try await notices(server).map(\.kind) == [.identityUnlinked])
        }
    }

    @Test("An administrator's change is reported without a device", arguments: TestDatabase.all)
    func administrator(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            try await server.confirmed()
            let session = try await server.low()
            let path = "/users/\(session.userID)"
            _ = try await notices(server)
            let unconfirmed: AuthJSONObject = ["phone": .string(Self.other)]
            for json in [unconfirmed, unconfirmed.merging(["phone_confirm": true]) { $1 }].map(AuthJSON.object) {
                #expect(try await server.admin(.put, path, json: json).status == 200)
            }
            let mails = try await notices(server)
            #expect(mails.map { $0.notice?.phone } == [Self.other] && mails.first?.notice?.device == nil)
        }
    }

    @Test("Without a confirmed address nothing is sent, and the audit log has the change", arguments: TestDatabase.all)
    func withoutEmail(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let session = try await server.phoned()
            server.passInterval()
            try await setNumber(Self.other, session, server)
            #expect(try await server.deliveredMails().isEmpty)
            let log = try await server.admin(.get, "/audit?query=action:user_modified")
            #expect(log.json.arrayValue?.isEmpty == false, "\(log)")
        }
    }

    @Test("The setting is off by default")
    func off() async throws {
        try await serve([]) { server in
            try await server.confirmed()
            try await setNumber(Self.other, try await server.low(), server)
            #expect(try await notices(server).isEmpty)
        }
    }
}
