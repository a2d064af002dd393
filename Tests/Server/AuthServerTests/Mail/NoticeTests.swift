import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

@Suite("Notices of changes")
struct NoticeTests {
    private static let all: Set<MailKind> = Set(MailKind.allCases.filter(\.isNotice))
    private static let phone = "Journal/1.2 (iPhone17,3; iOS 18.2) gatehouse-swift/0.2"

    private func serve(
        on kind: TestDatabase = .usual, _ notices: Set<MailKind> = all, limits: AuthRates? = nil,
        providers: TestProviders? = nil, confirmsAutomatically: Bool = false, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, limits: limits, providers: providers) { settings in
            settings.mail = MailRules()
            settings.mail?.notices = notices
            settings.confirmsAutomatically = confirmsAutomatically
        } _: { server in
            try await test(server)
        }
    }

    private func signIn(_ server: TestServer, _ agent: String?, password: String = TestServer.password) async throws
        -> TestSession
    {
        var headers = HTTPFields()
        headers[.userAgent] = agent
        let json: AuthJSON = ["email": "ada@example.com", "password": .string(password)]
        return try #require(
            TestSession(try await server.post("/token?grant_type=password", json, headers: headers)))
    }

    private func change(_ server: TestServer, _ session: TestSession, _ json: AuthJSON) async throws {
        let headers: HTTPFields = [.userAgent: Self.phone, .acceptLanguage: "de-AT"]
        let answer = try await server.send(
            .put, "/auth/v1/user", bearer: session.accessToken, headers: headers, json: json)
        #expect(answer.status == 200)
    }

    private func userID(_ server: TestServer) async throws -> String {
        let users = try await server.admin(.get, "/users")["users"]?.arrayValue
        return try #require(users?.first?["id"]?.stringValue)
    }

    private func kinds(_ server: TestServer) async throws -> [MailKind] {
        try await server.deliveredMails().map(\.content.kind).filter(\.isNotice)
    }

    @Test(
        "A new password is reported with time, device and address, in the language of the caller",
        arguments: TestDatabase.all)
    func password(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            try await server.confirmed()
            try await change(server, try await signIn(server, nil), ["password": "a new password 9"])
            let mail = try await server.deliveredMail().mail
            #expect(mail.content.kind == .passwordChanged && mail.content.recipient.text == "ada@example.com")
            #expect(mail.content.notice?.time == server.clock.now && mail.content.language == "de-AT")
            #expect(mail.content.notice?.device == "iPhone · Journal · iOS 18.2 · 192.0.2.1")
            #expect(mail.link == nil && mail.content.code == nil)
            let id = try await userID(server)
            _ = try await server.admin(.put, "/users/\(id)", json: ["password": "another password 9"])
            let byAdmin = try await server.deliveredMail().mail
            #expect(byAdmin.content.kind == .passwordChanged && byAdmin.content.notice?.device == nil)
        }
    }

    @Test("A change of address is reported to the old address", arguments: TestDatabase.all)
    func address(_ kind: TestDatabase) async throws {
        try await serve(on: kind, [.emailChanged]) { server in
            try await server.confirmed()
            try await change(server, try await signIn(server, nil), ["email": "new@example.com"])
            for mail in try await server.deliveredMails() {
                let to = mail.content.recipient.text
                let code = mail.content.code?.reveal() ?? ""
                #expect(try await server.verify("email_change", code: code, email: to).status == 200)
            }
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.recipient.text == "ada@example.com" && notice.account == "new@example.com")
            #expect(notice.notice?.oldEmail == "ada@example.com" && notice.kind == .emailChanged)
            let id = try await userID(server)
            _ = try await server.admin(.put, "/users/\(id)", json: ["email": "third@example.com"])
            #expect(try await server.deliveredMail().mail.content.recipient.text == "new@example.com")
        }
    }

    @Test("Sign-in methods that are added and removed are reported, each of them", arguments: TestDatabase.all)
    func methods(_ kind: TestDatabase) async throws {
        try await serve(on: kind, [.identityLinked, .identityUnlinked], providers: TestProviders()) { server in
            try await server.confirmed()
            let ada = try await signIn(server, nil)
            let linking: AuthJSONObject = ["link_identity": true]
            for (provider, credential) in [
                ("google", try await server.googleCredential()), ("apple", try await server.appleCredential()),
            ] {
                let linked = try await server.idTokenGrant(
                    provider, credential, adding: linking, bearer: ada.accessToken)
                #expect(linked.status == 200)
                // Mails of one instant have no order.
                server.clock.advance(by: .milliseconds(1))
            }
            let added = try await server.deliveredMails().map(\.content)
            #expect(added.map(\.kind) == [.identityLinked, .identityLinked])
            #expect(added.map { $0.notice?.provider } == ["google", "apple"])
            let user = try await server.send(.get, "/auth/v1/user", bearer: ada.accessToken)
            let google = user["identities"]?.arrayValue?.first { $0["provider"] == "google" }
            let id = try #require(google?["identity_id"]?.stringValue)
            let removed = try await server.send(
                .delete, "/auth/v1/user/identities/\(id)", bearer: ada.accessToken)
            #expect(removed.status == 200)
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.kind == .identityUnlinked && notice.notice?.provider == "google")
            #expect(notice.recipient.text == "ada@example.com")
        }
    }

    @Test("A sign-in with another kind of device is reported once, also after a sign-out", arguments: TestDatabase.all)
    func device(_ kind: TestDatabase) async throws {
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/131.0 Safari/537.36"
        try await serve(on: kind, [.newDevice]) { server in
            try await server.confirmed()
            let first = try await signIn(server, Self.phone)
            #expect(try await server.refresh(first.refreshToken).status == 200)
            _ = try await signIn(server, "Journal/1.3 (iPhone18,1; iOS 19.0) gatehouse-swift/0.3")
            #expect(try await kinds(server).isEmpty)
            let second = try await signIn(server, mac)
            let notice = try await server.deliveredMail().mail.content
            #expect(notice.kind == .newDevice && notice.notice?.device == "Mac · Chrome · macOS · 192.0.2.1")
            let left = try await server.send(.post, "/auth/v1/logout?scope=global", bearer: second.accessToken)
            #expect(left.status == 204)
            for agent in [mac, Self.phone] { _ = try await signIn(server, agent) }
            #expect(try await kinds(server).isEmpty)
        }
    }

    @Test("A new account's first session brings no notice, however it begins", arguments: TestDatabase.all)
    func firstSession(_ kind: TestDatabase) async throws {
        try await serve(on: kind, [.newDevice], providers: TestProviders()) { server in
            #expect(try await server.idTokenGrant("google", try await server.googleCredential()).status == 200)
            let email = "ada@example.com"
            _ = try await server.post("/signup", ["email": .string(email), "password": .string(TestServer.password)])
            let code = try await server.deliveredMail().code
            #expect(try await server.verify("signup", code: code).status == 200)
            #expect(try await server.deliveredMails().isEmpty)
            // An emailed code opens a session like any other.
            server.passInterval()
            _ = try await server.post("/otp", ["email": .string(email)])
            let later = try await server.deliveredMail().code
            let json: AuthJSON = ["type": "email", "token": .string(later), "email": .string(email)]
            #expect(try await server.post("/verify", json, headers: [.userAgent: Self.phone]).status == 200)
            #expect(try await kinds(server) == [.newDevice])
        }
    }

    @Test("Without the settings nothing is reported, and no device is remembered")
    func off() async throws {
        try await serve([]) { server in
            try await server.confirmed()
            _ = try await signIn(server, nil)
            try await change(server, try await signIn(server, Self.phone), ["password": "a new password 9"])
            #expect(try await server.deliveredMails().isEmpty)
            let known = try await server.database.row("SELECT count(*) FROM known_devices") { $0.int() }
            #expect(known == 0)
        }
    }

    @Test("Where addresses count as confirmed without a mail, only proven ones get notices")
    func unproven() async throws {
        try await serve(confirmsAutomatically: true) { server in
            try await change(server, try await server.signUp(), ["password": "a new password 9"])
            #expect(try await server.deliveredMails().isEmpty)
            _ = try await server.post("/recover", ["email": "ada@example.com"])
            let code = try await server.deliveredMail().code
            let owner = try #require(TestSession(try await server.verify("recovery", code: code)))
            try await change(server, owner, ["password": "the owner's password 9"])
            #expect(try await kinds(server) == [.passwordChanged])
        }
    }

    @Test("Neither an empty budget nor a later change holds a notice up")
    func budget() async throws {
        var rates = AuthRates()
        rates.mails = 1
        try await serve([.passwordChanged], limits: rates) { server in
            try await server.confirmed()
            try await server.confirmed("bob@example.com")
            let ada = try await signIn(server, nil)
            _ = try await server.post("/recover", ["email": "bob@example.com"])
            _ = try await server.post("/recover", ["email": "ada@example.com"])
            #expect(try await server.deliveredMails().count == 1)
            try await change(server, ada, ["password": "a new password 9"])
            try await change(server, ada, ["password": "another password 9"])
            #expect(try await kinds(server) == [.passwordChanged, .passwordChanged])
        }
    }

    @Test(
        "A user agent cannot put an address into a mail",
        arguments: [
            ("evil.example.com/1", nil), ("see%20http:%2F%2Fevil.example/1 (x; y) gatehouse-swift/1", "x · y"),
            ("Journal/1 (a@b.example; iOS 18.2) gatehouse-swift/1", "Journal · iOS 18.2"), ("curl/8.1", "curl"),
        ])
    func words(_ agent: String, _ words: String?) {
        #expect(Device(userAgent: agent, address: nil).words == words)
    }
}
