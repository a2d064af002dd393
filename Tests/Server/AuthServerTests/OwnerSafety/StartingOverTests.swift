import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// The mailbox gets a new account with the address, and the old account loses nothing else.
@Suite("Starting over")
struct StartingOverTests {
    private static let email = "verified@example.com"

    private func serve(
        on kind: TestDatabase, change: (inout AuthSettings) -> Void = { _ in },
        _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, providers: TestProviders()) { settings in
            settings.mail = MailRules()
            change(&settings)
        } _: { server in
            try await test(server)
        }
    }

    private func mailed(_ server: TestServer, _ path: String = "/otp") async throws -> TestAnswer {
        server.passInterval()
        #expect(try await server.post(path, ["email": .string(Self.email)]).status == 200)
        let code = try await server.deliveredMail().code
        return try await server.verify("email", code: code, email: Self.email)
    }

    private func startOver(_ server: TestServer, _ session: TestSession) async throws -> TestAnswer {
        try await server.send(.post, "/auth/v1/user/start-over", bearer: session.accessToken)
    }

    @Test(
        "A mailbox's reader starts over; the old account keeps data, factor and password", arguments: TestDatabase.all)
    func factor(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let first = try await server.signUp(Self.email, data: ["name": "Ada"])
            let app = try await server.enroll(first)
            let owner = try await server.raised(first, by: app)
            let reader = try #require(TestSession(try await mailed(server)))
            let made = try await startOver(server, reader)
            let other = try #require(TestSession(made), "\(made)")
            #expect(other.userID != owner.userID && made["user"]?["email"]?.stringValue == Self.email)
            #expect(made["user"]?["user_metadata"]?["name"] == nil)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: reader.accessToken).status == 403)
            let back = try #require(TestSession(try await server.signIn(Self.email)))
            #expect(back.userID == owner.userID)
            #expect(try await server.raised(back, by: app).userID == owner.userID)
            let old = try await server.admin(.get, "/users/\(owner.userID)")
            #expect(old["former_email"]?.stringValue == Self.email && old["former_email_moved_at"] != nil)
            #expect(old["email"] == "" && old["factors"]?.arrayValue?.count == 1)
            #expect(old["user_metadata"]?["name"] == "Ada")
        }
    }

    @Test("The old account's password signs in with its former address", arguments: TestDatabase.all)
    func password(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            _ = try await server.admin(
                .post, "/users",
                json: ["email": .string(Self.email), "password": .string(TestServer.password), "email_confirm": true])
            let owner = try #require(TestSession(try await server.signIn(Self.email)))
            let reader = try #require(TestSession(try await mailed(server)))
            let made = try #require(TestSession(try await startOver(server, reader)))
            let seen = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
            #expect(seen.status == 200 && seen["former_email"]?.stringValue == Self.email)
            let again = try await server.signIn(Self.email)
            #expect(again["user"]?["id"]?.stringValue == owner.userID)
            #expect(try await server.signIn(Self.email, password: "a wrong password 1").code == "invalid_credentials")
            // The new account's own password comes first.
            let json: AuthJSON = ["password": "the new account's own 1"]
            #expect(try await server.send(.put, "/auth/v1/user", bearer: made.accessToken, json: json).status == 200)
            let own = try await server.signIn(Self.email, password: "the new account's own 1")
            #expect(own["user"]?["id"]?.stringValue == made.userID)
            #expect(try await server.signIn(Self.email)["user"]?["id"]?.stringValue == owner.userID)
            // Another address ends the former one.
            let moved = try await server.admin(
                .put, "/users/\(owner.userID)", json: ["email": "ada@example.net", "email_confirm": true])
            #expect(moved["former_email"] == nil)
            #expect(try await server.signIn(Self.email).code == "invalid_credentials")
        }
    }

    @Test("A link ticket's recovery deletes nothing, also with a second factor", arguments: TestDatabase.all)
    func linkRecovery(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let first = try await server.signUp(Self.email, data: ["name": "Ada"])
            let app = try await server.enroll(first)
            let owner = try await server.raised(first, by: app)
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(question["can_recover"] == true)
            let made = try await server.post(
                "/token?grant_type=link_recovery", ["link_ticket": question["link_ticket"] ?? .null])
            #expect(made.status == 200 && made["user"]?["id"]?.stringValue != owner.userID)
            let old = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
            #expect(old.status == 200 && old["former_email"]?.stringValue == Self.email)
            #expect(old["factors"]?.arrayValue?.count == 1 && old["user_metadata"]?["name"] == "Ada")
            let back = try #require(TestSession(try await server.signIn(Self.email)))
            #expect(back.userID == owner.userID)
            #expect(try await server.raised(back, by: app).userID == owner.userID)
        }
    }

    @Test("Only a session that began with an emailed code starts over", arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let owner = try await server.signUp(Self.email)
            #expect(try await startOver(server, owner).code == "fresh_sign_in_required")
            let reader = try #require(TestSession(try await mailed(server)))
            server.clock.advance(by: .seconds(601))
            #expect(try await startOver(server, reader).code == "fresh_sign_in_required")
            let anonymous = try #require(TestSession(try await server.post("/signup", [:])))
            #expect(try await startOver(server, anonymous).code == "validation_failed")
            #expect(try await server.send(.post, "/auth/v1/user/start-over").status == 401)
        }
        try await serve(on: kind) {
            $0.allowsSignUp = false
        } _: { server in
            _ = try await server.admin(.post, "/users", json: ["email": .string(Self.email), "email_confirm": true])
            let reader = try #require(TestSession(try await mailed(server)))
            #expect(try await startOver(server, reader).code == "signup_disabled")
        }
    }

    @Test(
        "An invited user who enters through a provider keeps what the administrator prepared",
        arguments: TestDatabase.all)
    func invitation(_ kind: TestDatabase) async throws {
        for path in ["/invite", "/admin/users"] {
            try await serve(on: kind) { server in
                let data: AuthJSON = ["team": "red", "first_name": "Prepared"]
                let order: AuthJSON = [
                    "email": .string(Self.email), path == "/invite" ? "data" : "user_metadata": data,
                    "app_metadata": ["plan": "gold"],
                ]
                let made = try await server.send(.post, "/auth/v1" + path, bearer: TestServer.secretKey, json: order)
                // A stranger's sign-up adds nothing.
                server.passInterval()
                _ = try await server.post(
                    "/signup",
                    ["email": .string(Self.email), "password": "the stranger's password", "data": ["name": "Eve"]])
                let entered = try await server.idTokenGrant("google", try await server.googleCredential())
                #expect(entered["user"]?["id"] == made["id"], "\(entered)")
                #expect(entered["user"]?["user_metadata"]?["team"] == "red")
                #expect(entered["user"]?["user_metadata"]?["first_name"] == "Prepared")
                #expect(entered["user"]?["user_metadata"]?["name"] != "Eve")
                #expect(try await server.signIn(Self.email, password: "the stranger's password").status != 200)
            }
        }
    }
}
