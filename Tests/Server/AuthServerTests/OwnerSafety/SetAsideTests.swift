import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// From before an address's first proof: they open nothing by themselves, and their holder gets them back.
@Suite("Credentials that are set aside")
struct SetAsideTests {
    private static let email = "ada@example.com"

    private func serve(
        on kind: TestDatabase, confirms: Bool = false, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = !confirms
            PasskeyClient.settings()(&settings)
        } _: { server in
            try await test(server)
        }
    }

    private func code(_ server: TestServer, _ path: String = "/otp") async throws -> String {
        server.passInterval()
        #expect(try await server.post(path, ["email": .string(Self.email)]).status == 200)
        return try #require(try await server.deliveredMails().last?.content.code).reveal()
    }

    private func types(_ user: AuthJSON?) -> [String] {
        (user?["set_aside"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
    }

    @Test("A set-aside passkey signs in again together with an emailed code", arguments: TestDatabase.all)
    func passkey(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let session = try await server.signUp()
            var device = PasskeyClient(server)
            #expect(try await device.register(session).status == 200)
            let proven = try await server.verify("email", code: try await code(server))
            #expect(types(proven["user"]) == ["password", "passkey"])
            let refused = try await device.signIn()
            #expect(refused.status == 403 && refused.code == "credential_set_aside")
            let ticket = try #require(refused["set_aside_ticket"])
            let mailed = try #require(try await server.deliveredMails().last?.content.code).reveal()
            // Restores nothing without the right code, or with another server's ticket.
            for (code, ticket) in [(TestServer.wrong(mailed), ticket), (mailed, "AAAA")] {
                let json: AuthJSON = ["type": "email", "token": .string(code), "set_aside_ticket": ticket]
                #expect(try await server.post("/verify", json).code == "otp_expired")
            }
            let json: AuthJSON = ["type": "email", "token": .string(mailed), "set_aside_ticket": ticket]
            let restored = try await server.post("/verify", json)
            #expect(restored.status == 200 && types(restored["user"]) == ["password"], "\(restored)")
            #expect(try await device.signIn().status == 200)
        }
    }

    @Test(
        "A set-aside provider identity comes back with an emailed code, or gets its own account",
        arguments: TestDatabase.all)
    func identity(_ kind: TestDatabase) async throws {
        for startsOver in [false, true] {
            try await serve(on: kind) { server in
                let session = try await server.signUp()
                func apple() async throws -> TestAnswer {
                    try await server.appleCredential("existing", email: "eve@example.com")
                }
                let linked = try await server.idTokenGrant(
                    "apple", try await apple(), adding: ["link_identity": true], bearer: session.accessToken)
                #expect(linked.status == 200)
                let proven = try await server.verify("email", code: try await code(server))
                #expect(types(proven["user"]) == ["password", "identity"])
                #expect(proven["user"]?["identities"]?.arrayValue?.count == 1)
                let question = try await server.idTokenGrant("apple", try await apple())
                #expect(question.code == "identity_needs_confirmation" && question["can_mail_code"] == true)
                let ticket = question["link_ticket"] ?? .null
                if startsOver {
                    let made = try await server.post("/token?grant_type=link_recovery", ["link_ticket": ticket])
                    #expect(made.status == 200 && made["user"]?["id"]?.stringValue != session.userID)
                    let old = try await server.admin(.get, "/users/\(session.userID)")
                    #expect(old["email"]?.stringValue == Self.email && types(old.json) == ["password"])
                    return
                }
                server.passInterval()
                #expect(try await server.post("/link/code", ["link_ticket": ticket]).status == 200)
                let mail = try #require(try await server.deliveredMails().last)
                #expect(mail.content.recipient.text == Self.email)
                let json: AuthJSON = ["link_ticket": ticket, "token": .string(mail.content.code?.reveal() ?? "")]
                let restored = try await server.post("/token?grant_type=link_confirmation", json)
                #expect(restored["user"]?["id"]?.stringValue == session.userID, "\(restored)")
                #expect(types(restored["user"]) == ["password"])
                #expect(restored["user"]?["identities"]?.arrayValue?.count == 2)
                let again = try await server.idTokenGrant("apple", try await apple())
                #expect(again["user"]?["id"]?.stringValue == session.userID)
            }
        }
    }

    @Test(
        "A session of the account, or its password, that comes with the code keeps everything",
        arguments: TestDatabase.all)
    func bound(_ kind: TestDatabase) async throws {
        for byPassword in [true, false] {
            try await serve(on: kind) { server in
                let session = try await server.signUp()
                let other = try #require(TestSession(try await server.signIn()))
                var device = PasskeyClient(server)
                #expect(try await device.register(session).status == 200)
                var json: AuthJSONObject = [
                    "type": "email", "email": .string(Self.email), "token": .string(try await code(server)),
                ]
                if byPassword { json["password"] = .string(TestServer.password) }
                let proven = try await server.send(
                    .post, "/auth/v1/verify", bearer: byPassword ? nil : session.accessToken, json: .object(json))
                #expect(proven.status == 200 && types(proven["user"]).isEmpty, "\(proven)")
                #expect(try await server.signIn().status == 200)
                #expect(try await device.signIn().status == 200)
                // Only the session that came with the code stays.
                let status = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status
                #expect(status == (byPassword ? 403 : 200))
                let ended = try await server.send(.get, "/auth/v1/user", bearer: other.accessToken)
                #expect(ended.status == 403)
            }
        }
    }

    @Test("A new password, also the set-aside one, forgets what was set aside", arguments: TestDatabase.all)
    func newPassword(_ kind: TestDatabase) async throws {
        for password in [TestServer.password, "another password 2"] {
            try await serve(on: kind) { server in
                _ = try await server.signUp()
                let session = try #require(TestSession(try await server.verify("email", code: try await code(server))))
                let json: AuthJSON = ["password": .string(password)]
                let changed = try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: json)
                #expect(changed.status == 200 && types(changed.json).isEmpty)
                #expect(try await server.signIn(password: password).status == 200)
                if password != TestServer.password {
                    #expect(try await server.signIn().code == "invalid_credentials")
                }
            }
        }
    }

    @Test(
        "Who took a free address by passkey or anonymously loses both to the first proof", arguments: TestDatabase.all)
    func preHijacked(_ kind: TestDatabase) async throws {
        for byPasskey in [true, false] {
            try await serve(on: kind, confirms: true) { server in
                var thief = PasskeyClient(server)
                var session: TestSession
                if byPasskey {
                    let answer = try await thief.signUp(["email": .string(Self.email)])
                    session = try #require(TestSession(answer), "\(answer)")
                } else {
                    session = try #require(TestSession(try await server.post("/signup", [:])))
                    let json: AuthJSON = ["email": .string(Self.email), "password": "the thief's password 1"]
                    let changed = try await server.send(
                        .put, "/auth/v1/user", bearer: session.accessToken, json: json)
                    #expect(changed.status == 200)
                }
                let code = try await server.deliveredMail().code
                let proven = try await server.verify("email_change", code: code)
                #expect(proven.status == 200 && types(proven["user"]) == [byPasskey ? "passkey" : "password"])
                #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 403)
                if byPasskey {
                    #expect(try await thief.signIn().code == "credential_set_aside")
                } else {
                    #expect(try await server.signIn(password: "the thief's password 1").code == "credential_set_aside")
                }
                let owner = try #require(TestSession(proven))
                let listed = try await server.send(.get, "/auth/v1/passkeys", bearer: owner.accessToken)
                guard byPasskey else { return }
                let key = try #require(listed.json.arrayValue?.first)
                #expect(key["set_aside_at"] != nil)
                let id = try #require(key["id"]?.stringValue)
                let removed = try await server.send(.delete, "/auth/v1/passkeys/\(id)", bearer: owner.accessToken)
                #expect(removed.status == 200 || removed.status == 204)
                let user = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
                #expect(types(user.json).isEmpty)
            }
        }
    }

    @Test("The session that asked for an address keeps what it had", arguments: TestDatabase.all)
    func upgraded(_ kind: TestDatabase) async throws {
        try await serve(on: kind, confirms: true) { server in
            let session = try #require(TestSession(try await server.post("/signup", [:])))
            let json: AuthJSON = ["email": .string(Self.email), "password": .string(TestServer.password)]
            #expect(try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: json).status == 200)
            let typed: AuthJSON = [
                "type": "email_change", "email": .string(Self.email),
                "token": .string(try await server.deliveredMail().code),
            ]
            let proven = try await server.send(.post, "/auth/v1/verify", bearer: session.accessToken, json: typed)
            #expect(proven["user"]?["id"]?.stringValue == session.userID && types(proven["user"]).isEmpty)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: session.accessToken).status == 200)
            #expect(try await server.signIn()["user"]?["id"]?.stringValue == session.userID)
        }
    }

    @Test("An administrator's confirmation proves the address, and sets nothing aside", arguments: TestDatabase.all)
    func administrator(_ kind: TestDatabase) async throws {
        try await serve(on: kind, confirms: true) { server in
            let json: AuthJSON = ["email": .string(Self.email), "password": .string(TestServer.password)]
            #expect(try await server.post("/signup", json).status == 200)
            _ = try await server.deliveredMails()
            let list = try await server.admin(.get, "/users")
            let id = try #require(list["users"]?.arrayValue?.first?["id"]?.stringValue)
            #expect(try await server.admin(.put, "/users/\(id)", json: ["email_confirm": true]).status == 200)
            #expect(try await server.signIn().status == 200)
            let proven = try await server.verify("email", code: try await code(server))
            #expect(proven.status == 200 && types(proven["user"]).isEmpty)
            #expect(try await server.signIn().status == 200)
        }
    }
}
