import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// Other people's requests and lost responses must not harm the owner.
@Suite("Nobody else's request costs the owner anything")
struct OwnerScenarioTests {
    private static let email = "ada@example.com"

    private func code(_ server: TestServer, _ path: String = "/recover", _ more: AuthJSONObject = [:]) async throws
        -> String
    {
        server.passInterval()
        let json = AuthJSON.object(more.merging(["email": .string(Self.email)]) { $1 })
        #expect(try await server.post(path, json).status == 200)
        return try await server.deliveredMail().code
    }

    private func user(_ server: TestServer, _ session: TestSession) async throws -> TestAnswer {
        try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
    }

    private func setAside(_ answer: TestAnswer) -> [String] {
        let list = answer["user"]?["set_aside"]?.arrayValue ?? answer["set_aside"]?.arrayValue ?? []
        return list.compactMap { $0["type"]?.stringValue }
    }

    @Test("A reader of the mailbox does not get past a verified authenticator app", arguments: TestDatabase.all)
    func mailboxAndFactor(_ kind: TestDatabase) async throws {
        for isAdministrator in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                var order: AuthJSONObject = [
                    "email": .string(Self.email), "password": .string(TestServer.password), "email_confirm": true,
                ]
                if isAdministrator { order["role"] = "service_role" }
                _ = try await server.admin(.post, "/users", json: .object(order))
                let first = try #require(TestSession(try await server.signIn()))
                let app = try await server.enroll(first)
                let owner = try await server.raised(first, by: app)
                let thief = try #require(TestSession(try await server.verify("recovery", code: try await code(server))))
                #expect(PasskeyClient.level(try await server.refresh(thief.refreshToken)) == "aal1")
                let password: AuthJSON = ["password": "the thief's password 9"]
                let changed = try await server.send(.put, "/auth/v1/user", bearer: thief.accessToken, json: password)
                #expect(changed.code == "insufficient_aal")
                let listed = try await server.send(.get, "/auth/v1/admin/users", bearer: thief.accessToken)
                #expect(listed.status == 403)
                let kept = try await user(server, owner)
                #expect(kept.status == 200 && kept["factors"]?.arrayValue?.count == 1 && setAside(kept).isEmpty)
                #expect(try await server.signIn().status == 200)
            }
        }
    }

    @Test(
        "An account whose address was confirmed by itself keeps its factor, and its password after one code",
        arguments: TestDatabase.all)
    func automaticallyConfirmed(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { settings in
            settings.mail = MailRules()
        } _: { server in
            let first = try await server.signUp()
            let app = try await server.enroll(first)
            let owner = try await server.raised(first, by: app)
            let other = try await server.verify("email", code: try await code(server, "/otp"))
            #expect(setAside(other) == ["password"])
            #expect(other["user"]?["factors"]?.arrayValue?.count == 1)
            let ended = try await user(server, owner)
            #expect(ended.status == 403)
            let refused = try await server.signIn()
            #expect(refused.status == 403 && refused.code == "credential_set_aside")
            let wrong = try await server.signIn(password: "not the password 1")
            #expect(wrong.code == "invalid_credentials")
            let code = try await server.deliveredMail().code
            let restored = try await server.post(
                "/verify",
                [
                    "type": "email", "email": .string(Self.email), "token": .string(code),
                    "password": .string(TestServer.password),
                ])
            // The mailbox alone adds no sign-in method: the factor completes it.
            #expect(restored.status == 200 && setAside(restored) == ["password"])
            let entered = try await server.raised(try #require(TestSession(restored)), by: app)
            #expect(setAside(try await user(server, entered)).isEmpty)
            let again = try #require(TestSession(try await server.signIn()))
            #expect(again.userID == owner.userID)
            #expect(try await server.raised(again, by: app).userID == owner.userID)
        }
    }

    @Test("The same sign-up sent twice keeps the password and sends one email", arguments: TestDatabase.all)
    func repeatedSignUp(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let json: AuthJSON = ["email": .string(Self.email), "password": .string(TestServer.password)]
            let first = try await server.post("/signup", json)
            let second = try await server.post("/signup", json)
            #expect(first.status == 200 && second.status == 200)
            let code = try await server.deliveredMail().code
            server.passInterval()
            #expect(try await server.post("/signup", json).status == 200)
            _ = try await server.deliveredMail()
            // The first email's code is still good.
            let session = try await server.verify("signup", code: code)
            #expect(session.status == 200 && setAside(session).isEmpty)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("Nothing that a stranger asks for takes a password that waits for its code", arguments: TestDatabase.all)
    func strangersRequests(_ kind: TestDatabase) async throws {
        let requests: [(path: String, json: AuthJSONObject)] = [
            ("/signup", ["password": "the stranger's password"]), ("/otp", [:]), ("/recover", [:]),
            ("/resend", ["type": "signup"]),
        ]
        for request in requests {
            try await TestServer.mailing(on: kind) { server in
                let own: AuthJSON = ["email": .string(Self.email), "password": .string(TestServer.password)]
                #expect(try await server.post("/signup", own).status == 200)
                let code = try await server.deliveredMail().code
                server.passInterval()
                let json = AuthJSON.object(request.json.merging(["email": .string(Self.email)]) { $1 })
                #expect(try await server.post(request.path, json).status == 200)
                _ = try await server.deliveredMails()
                let typed: AuthJSON = [
                    "type": "signup", "email": .string(Self.email), "token": .string(code),
                    "password": .string(TestServer.password),
                ]
                #expect(try await server.post("/verify", typed).status == 200)
                #expect(try await server.signIn().status == 200, "\(request.path)")
                #expect(try await server.signIn(password: "the stranger's password").status != 200)
            }
        }
    }

    @Test("A lost response to a second factor signs nobody out", arguments: TestDatabase.all)
    func lostRaise(_ kind: TestDatabase) async throws {
        for wait in [Duration.zero, .seconds(12), .seconds(3_000)] {
            try await TestServer.with(on: kind) { server in
                let first = try await server.signUp()
                let app = try await server.enroll(first)
                let lost = try await server.raised(first, by: app)
                server.clock.advance(by: wait)
                let low = try await server.refresh(first.refreshToken)
                let session = try #require(TestSession(low), "\(low)")
                #expect(PasskeyClient.level(low) == "aal1")
                // Lost once more, and repeated.
                server.clock.advance(by: wait)
                let again = try #require(TestSession(try await server.refresh(first.refreshToken)))
                #expect(try await user(server, again).status == 200)
                // The response arrives after all: its holder is not treated as a thief.
                #expect(try await server.refresh(lost.refreshToken).status == 200)
                #expect(try await user(server, session).status == 200)
                #expect(try await server.raised(again, by: app).userID == first.userID)
            }
        }
    }

    @Test(
        "A refresh token from before a second factor is theft once a later token has been used",
        arguments: TestDatabase.all)
    func usedRaise(_ kind: TestDatabase) async throws {
        for usesAccessToken in [true, false] {
            try await TestServer.with(on: kind) { server in
                let first = try await server.signUp()
                let app = try await server.enroll(first)
                var raised = try await server.raised(first, by: app)
                if usesAccessToken {
                    #expect(try await user(server, raised).status == 200)
                } else {
                    raised = try #require(TestSession(try await server.refresh(raised.refreshToken)))
                }
                server.clock.advance(by: .seconds(12))
                #expect(try await server.refresh(first.refreshToken).code == "refresh_token_already_used")
                #expect(try await user(server, raised).status == 403)
            }
        }
    }

    @Test(
        "Guesses by strangers keep out neither a new device's code nor the code's sender", arguments: TestDatabase.all)
    func guesses(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind, limits: AuthRates()) { server in
            try await server.confirmed()
            let code = try await code(server)
            for peer in ["203.0.113.1", "203.0.113.2"] {
                for _ in 0..<10 { _ = try await server.signIn(password: "a wrong password 1", peer: peer) }
            }
            #expect(try await server.signIn(peer: "203.0.113.9").status == 429)
            // The right code, from a new network.
            let json: AuthJSON = ["type": "recovery", "email": .string(Self.email), "token": .string(code)]
            let entered = try await server.send(.post, "/auth/v1/verify", json: json, peer: "203.0.113.9")
            #expect(entered.status == 200)
        }
    }

    @Test("Wrong codes for an address count against their sender alone", arguments: TestDatabase.all)
    func wrongCodes(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind, limits: AuthRates()) { server in
            try await server.confirmed()
            let json: AuthJSON = ["type": "email", "email": .string(Self.email), "token": "000000"]
            var statuses: Set<Int> = []
            for _ in 0..<30 {
                statuses.insert(try await server.send(.post, "/auth/v1/verify", json: json, peer: "203.0.113.1").status)
            }
            #expect(statuses == [403, 429])
            #expect(try await server.signIn(peer: "203.0.113.9").status == 200)
            // Even the sender's right code is not refused.
            let code = try await code(server)
            let right: AuthJSON = ["type": "recovery", "email": .string(Self.email), "token": .string(code)]
            #expect(try await server.send(.post, "/auth/v1/verify", json: right, peer: "203.0.113.1").status == 200)
        }
    }

    @Test("The last three codes stay valid until one is used", arguments: TestDatabase.all)
    func severalCodes(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            var codes: [String] = []
            for path in ["/recover", "/otp", "/otp", "/recover"] { codes.append(try await code(server, path)) }
            #expect(try await server.verify("recovery", code: codes[0]).code == "otp_expired")
            #expect(try await server.verify("recovery", code: codes[1]).status == 200)
            for code in codes { #expect(try await server.verify("recovery", code: code).code == "otp_expired") }
        }
    }
}
