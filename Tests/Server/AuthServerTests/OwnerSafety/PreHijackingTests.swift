import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// A stranger signs up with another person's address, and must not get access, whatever its owner does.
@Suite("A stranger who signed up first gets nothing of the owner's")
struct PreHijackingTests {
    private static let email = "ada@example.com"
    private static let strangers = "the stranger's password 1"

    private func signUp(_ server: TestServer, _ password: String, data: AuthJSON = .null) async throws {
        let json: AuthJSON = ["email": .string(Self.email), "password": .string(password), "data": data]
        #expect(try await server.post("/signup", json).status == 200)
    }

    private func code(_ server: TestServer, _ path: String = "/otp") async throws -> String {
        server.passInterval()
        #expect(try await server.post(path, ["email": .string(Self.email)]).status == 200)
        return try await server.deliveredMail().code
    }

    private func verify(_ server: TestServer, _ code: String, _ more: AuthJSONObject = [:]) async throws -> TestAnswer {
        let json: AuthJSONObject = ["type": "email", "email": .string(Self.email), "token": .string(code)]
        return try await server.post("/verify", .object(json.merging(more) { $1 }))
    }

    private func put(_ server: TestServer, _ session: TestSession, _ json: AuthJSON) async throws -> TestAnswer {
        try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: json)
    }

    private func startOver(_ server: TestServer, _ session: TestSession) async throws -> TestAnswer {
        try await server.send(.post, "/auth/v1/user/start-over", bearer: session.accessToken)
    }

    private func automatic(on kind: TestDatabase, _ test: (TestServer) async throws -> Void) async throws {
        try await TestServer.with(on: kind) { settings in
            settings.mail = MailRules()
        } _: { server in
            try await test(server)
        }
    }

    @Test("An owner who starts over in a later session leaves the stranger no data", arguments: TestDatabase.all)
    func laterSession(_ kind: TestDatabase) async throws {
        try await automatic(on: kind) { server in
            _ = try await server.signUp(Self.email, password: Self.strangers)
            let first = try #require(TestSession(try await verify(server, try await code(server))))
            #expect(try await put(server, first, ["data": ["diary": "mine"]]).status == 200)
            let later = try #require(TestSession(try await verify(server, try await code(server))))
            #expect(try await startOver(server, later).status == 200)
            let stranger = try await server.signIn(password: Self.strangers)
            #expect(stranger.status >= 400 && TestSession(stranger) == nil)
        }
    }

    @Test(
        "An owner who starts over at once, with passwords of two sign-ups, gives the account to neither",
        arguments: TestDatabase.all)
    func severalPasswords(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await signUp(server, TestServer.password)
            try await signUp(server, Self.strangers)
            let owner = try #require(TestSession(try await verify(server, try await code(server))))
            #expect(try await startOver(server, owner).status == 200)
            for password in [TestServer.password, Self.strangers] {
                #expect(TestSession(try await server.signIn(password: password)) == nil)
            }
        }
    }

    @Test(
        "A set-aside password comes back to an account with a second factor only after the factor",
        arguments: TestDatabase.all)
    func factor(_ kind: TestDatabase) async throws {
        try await automatic(on: kind) { server in
            _ = try await server.signUp(Self.email, password: Self.strangers)
            let first = try #require(TestSession(try await verify(server, try await code(server))))
            let app = try await server.enroll(first)
            _ = try await server.raised(first, by: app)
            let more: AuthJSONObject = ["password": .string(Self.strangers)]
            let low = try #require(TestSession(try await verify(server, try await code(server), more)))
            #expect(try await server.signIn(password: Self.strangers).code == "credential_set_aside")
            _ = try await server.raised(low, by: app)
            #expect(try await server.signIn(password: Self.strangers).status == 200)
        }
    }

    @Test("A password that the owner has set is not replaced by one that is set aside", arguments: TestDatabase.all)
    func newerPassword(_ kind: TestDatabase) async throws {
        try await automatic(on: kind) { server in
            _ = try await server.signUp(Self.email, password: Self.strangers)
            let owner = try #require(TestSession(try await verify(server, try await code(server))))
            #expect(try await put(server, owner, ["password": .string(TestServer.password)]).status == 200)
            let more: AuthJSONObject = ["password": .string(Self.strangers)]
            #expect(try await verify(server, try await code(server), more).status == 200)
            #expect(try await server.signIn().status == 200)
            #expect(try await server.signIn(password: Self.strangers).code == "invalid_credentials")
        }
    }

    @Test(
        "A request without the sign-up's password is remembered, however many codes follow",
        arguments: TestDatabase.all, ["/otp", "/recover"])
    func contest(_ kind: TestDatabase, _ path: String) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await signUp(server, Self.strangers)
            _ = try await server.deliveredMail()
            _ = try await code(server, path)
            var last = ""
            for _ in 0..<3 {
                server.passInterval()
                try await signUp(server, Self.strangers)
                last = try await server.deliveredMail().code
            }
            #expect(try await verify(server, last).status == 200)
            #expect(try await server.signIn(password: Self.strangers).code == "credential_set_aside")
        }
    }

    @Test("Any number of sign-ups by others leaves the owner's password and data", arguments: TestDatabase.all)
    func manySignUps(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await signUp(server, TestServer.password, data: ["name": "Ada"])
            let own = try await server.deliveredMail().code
            for number in 0..<8 { try await signUp(server, "the stranger's password \(number)") }
            #expect(try await verify(server, own).status == 200)
            #expect(try await server.signIn().code == "credential_set_aside")
            let more: AuthJSONObject = ["password": .string(TestServer.password)]
            let restored = try await verify(server, try await server.deliveredMail().code, more)
            #expect(restored["user"]?["user_metadata"]?["name"] == "Ada")
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test(
        "An owner whose sign-up found no place gets the typed password with the code, and the stranger's open nothing",
        arguments: TestDatabase.all)
    func noPlace(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            for number in 0..<8 { try await signUp(server, "the stranger's password \(number)") }
            let code = try await server.deliveredMail().code
            try await signUp(server, TestServer.password)
            let more: AuthJSONObject = ["password": .string(TestServer.password)]
            #expect(try await verify(server, code, more).status == 200)
            #expect(try await server.signIn().status == 200)
            for number in 0..<8 {
                #expect(TestSession(try await server.signIn(password: "the stranger's password \(number)")) == nil)
            }
        }
    }

    @Test("A thief of the mailbox moves the address once a day, so its owner's account is not forgotten")
    func repeatedStartingOver() async throws {
        try await automatic(on: .usual) { server in
            let owner = try await server.signUp(Self.email)
            let thief = try #require(TestSession(try await verify(server, try await code(server))))
            let made = try #require(TestSession(try await startOver(server, thief)))
            let again = try await startOver(server, made)
            #expect(again.status == 429 && again.headers[.init("retry-after")!] != nil)
            #expect(TestSession(try await server.signIn())?.userID == owner.userID)
        }
    }

    @Test("Who knows a set-aside password gets no more guesses at the account's own")
    func guesses() async throws {
        var rates = AuthRates()
        rates.failedSignIns = 3
        try await TestServer.with(limits: rates) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        } _: { server in
            try await signUp(server, TestServer.password)
            try await signUp(server, Self.strangers)
            _ = try await verify(server, try await code(server))
            var refused = 0
            for round in 0..<12 {
                let wrong = try await server.signIn(password: "a guess \(round)", peer: "198.51.100.\(round)")
                refused += wrong.status == 429 ? 1 : 0
                _ = try await server.signIn(password: Self.strangers, peer: "198.51.100.\(round)")
            }
            #expect(refused > 0)
        }
    }
}
