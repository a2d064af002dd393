import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

@Suite("Reports of unknown devices")
struct DeviceReportTests {
    private static let phone = "Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2"
    private static let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/131.0 Safari/537.36"
    private static let endHeader = HTTPField.Name("x-gatehouse-session-end")!
    private static let page = "https://accounts.example.org/account/unknown-device"

    /// An owner with a phone, and another person who signs in to a computer with the owner's password.
    private struct Scene {
        let server: TestServer
        let owner: TestSession
        let other: TestSession
        let notice: MailContent

        func report(_ email: String = "ada@example.com", token: String? = nil) async throws -> TestAnswer {
            let token = try #require(token ?? notice.notice?.reportToken?.reveal())
            return try await server.post("/sessions/report", ["token_hash": .string(token), "email": .string(email)])
        }
    }

    private static func signIn(_ server: TestServer, _ agent: String, _ password: String = TestServer.password)
        async throws -> TestAnswer
    {
        let json: AuthJSON = ["email": "ada@example.com", "password": .string(password)]
        return try await server.post("/token?grant_type=password", json, headers: [.userAgent: agent])
    }

    private func with(
        on kind: TestDatabase, isProven: Bool = true, _ test: (Scene) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind) { settings in
            settings.mail = MailRules()
            settings.mail?.notices = [.newDevice]
            settings.confirmsAutomatically = false
            settings.deviceReportPage = Self.page
            settings.oauth = .test
            PasskeyClient.settings()(&settings)
        } _: { server in
            if isProven { try await server.confirmed() } else { try await server.unproven() }
            _ = try await server.deliveredMails()
            let owner = try #require(TestSession(try await Self.signIn(server, Self.phone)))
            // Longer than two nodes' clocks differ.
            server.clock.advance(by: .seconds(90))
            let other = try #require(TestSession(try await Self.signIn(server, Self.mac)))
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.kind == .newDevice)
            try await test(Scene(server: server, owner: owner, other: other, notice: notice))
        }
    }

    @Test(
        "A report ends the device's sessions, and the password needs an emailed code once", arguments: TestDatabase.all)
    func reported(_ kind: TestDatabase) async throws {
        try await with(on: kind) { scene in
            let server = scene.server
            #expect(scene.notice.notice?.page == Self.page)
            let again = try #require(TestSession(try await Self.signIn(server, Self.mac)))
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await scene.report("bob@example.com").code == "otp_expired")
            let report = try await scene.report("Ada@Example.com")
            #expect(report.status == 200 && report["ended_sessions"] == 2 && report["password_set_aside"] == true)
            for session in [scene.other, again] {
                let refused = try await server.refresh(session.refreshToken)
                #expect(refused.status == 400 && refused.headers[Self.endHeader] == "not_recognized")
            }
            #expect(try await server.refresh(scene.owner.refreshToken).status == 200)
            #expect(try await scene.report().code == "otp_expired")

            // The other person lacks the mailbox, the owner has it.
            let refused = try await Self.signIn(server, Self.mac)
            #expect(refused.status == 403 && refused.code == "credential_set_aside")
            let code = try await server.deliveredMail().code
            let restored = try await server.post(
                "/verify",
                [
                    "type": "email", "email": "ada@example.com", "token": .string(code),
                    "password": .string(TestServer.password),
                ], headers: [.userAgent: Self.phone])
            #expect(restored.status == 200)
            #expect(try await Self.signIn(server, Self.phone).status == 200)
            let log = try await server.admin(.get, "/audit?query=action:device_reported")
            #expect(log.json.arrayValue?.count == 1)
        }
    }

    @Test("After a report, the device's next sign-in is reported again", arguments: TestDatabase.all)
    func reportedAgain(_ kind: TestDatabase) async throws {
        try await with(on: kind) { scene in
            let server = scene.server
            #expect(try await scene.report().status == 200)
            server.passInterval()
            _ = try await server.post("/otp", ["email": "ada@example.com"])
            let code = try await server.deliveredMail().code
            let json: AuthJSON = ["type": "email", "token": .string(code), "email": "ada@example.com"]
            #expect(try await server.post("/verify", json, headers: [.userAgent: Self.mac]).status == 200)
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.kind == .newDevice)
            let token = try #require(notice.notice?.reportToken?.reveal())
            let report = try await scene.report(token: token)
            #expect(report["ended_sessions"] == 1)
        }
    }

    @Test(
        "A report ends later sessions of any device and client, and sets aside what was added since",
        arguments: TestDatabase.all)
    func addedSince(_ kind: TestDatabase) async throws {
        try await with(on: kind) { scene in
            let server = scene.server
            let agent = try await TestAgent(server, named: "Scout")
            let path = "/auth/v1/oauth/authorizations/" + (try await agent.ask("email offline_access"))
            _ = try await server.send(.get, path, bearer: scene.other.accessToken)
            let decided = try await server.send(
                .post, path + "/consent", bearer: scene.other.accessToken, json: ["action": "approve"])
            let client = try await agent.redeem(decided["redirect_url"]?.stringValue ?? "")
            let clientToken = try #require(client["access_token"]?.stringValue)
            // With the owner's kind of device, which causes no notice.
            let hidden = try #require(TestSession(try await Self.signIn(server, Self.phone)))
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: scene.other.accessToken, json: ["password": "a thief's password 9"])
            #expect(changed.status == 200)
            // Other sessions ended with the change; the thief opens another.
            let last = try #require(TestSession(try await Self.signIn(server, Self.phone, "a thief's password 9")))
            var key = PasskeyClient(server)
            #expect(try await key.register(last).status == 200)
            let report = try await scene.report()
            #expect(report.status == 200 && report["password_set_aside"] == true)
            #expect(try await key.signIn().code == "credential_set_aside")
            for session in [hidden, last, scene.other] {
                #expect(try await server.refresh(session.refreshToken).status == 400)
            }
            #expect(try await server.send(.get, "/auth/v1/oauth/userinfo", bearer: clientToken).status >= 400)
            #expect(try await Self.signIn(server, Self.phone, "a thief's password 9").code == "credential_set_aside")
            let grants = try await server.database.row("SELECT count(*) FROM oauth_consents") { $0.int() }
            #expect(grants == 0)
        }
    }

    @Test("More devices do not void the link of the first notice", arguments: TestDatabase.all)
    func manyDevices(_ kind: TestDatabase) async throws {
        try await with(on: kind) { scene in
            for number in 0..<60 {
                scene.server.clock.advance(by: .seconds(1))
                _ = try await Self.signIn(scene.server, "App\(number)/1 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2")
            }
            let report = try await scene.report()
            #expect(report["ended_sessions"] == 61)
            let known = try await scene.server.database.row("SELECT count(*) FROM known_devices") { $0.int() }
            #expect(known ?? 0 <= 50)
        }
    }

    @Test("A moved address's new owner gets no code, but its sessions end", arguments: TestDatabase.all)
    func moved(_ kind: TestDatabase) async throws {
        try await with(on: kind) { scene in
            _ = try await scene.server.database.write { db in
                try db.run("UPDATE users SET email = 'thief@example.com' WHERE email = 'ada@example.com'")
            }
            let report = try await scene.report()
            #expect(report["ended_sessions"] == 1 && report["password_set_aside"] == false)
        }
    }

    @Test("The link is valid for seven days")
    func expired() async throws {
        try await with(on: .usual) { scene in
            scene.server.clock.advance(by: .seconds(7 * 86_400))
            let late = try await scene.report()
            let signedIn = try await Self.signIn(scene.server, Self.phone)
            #expect(late.code == "otp_expired" && signedIn.status == 200)
        }
    }

    @Test("An address that was never proven gets a notice without a link")
    func unproven() async throws {
        try await with(on: .usual, isProven: false) { scene in
            let notice = try #require(scene.notice.notice)
            #expect(notice.reportToken == nil && notice.page == nil)
        }
    }

    @Test(
        "Text that is no token, or no address, changes nothing",
        arguments: ["", "5f", String(repeating: "g", count: 56)])
    func malformed(_ token: String) async throws {
        try await with(on: .usual) { scene in
            let unknown = try await scene.report(token: token)
            let malformed = try await scene.report("ada")
            let other = try await scene.server.refresh(scene.other.refreshToken)
            #expect(unknown.code == "otp_expired" && malformed.status == 400 && other.status == 200)
        }
    }
}
