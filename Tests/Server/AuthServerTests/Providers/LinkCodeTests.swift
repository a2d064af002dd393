import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Link questions that a mailed code answers")
struct LinkCodeTests {
    private static let email = "verified@example.com"

    private func serve(
        on kind: TestDatabase = .usual, limits: AuthRates? = nil, linking: LinkingPolicy = .automatic,
        change: (inout AuthSettings) -> Void = { _ in }, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, limits: limits, providers: TestProviders(linking: linking)) { settings in
            settings.mail = MailRules()
            change(&settings)
        } _: { server in
            try await test(server)
        }
    }

    /// An unproven address, and its owner's link question.
    private func asked(_ server: TestServer) async throws -> (stranger: TestSession, question: TestAnswer) {
        let stranger = try await server.signUp(Self.email, password: "the stranger's password")
        let question = try await server.idTokenGrant("google", try await server.googleCredential())
        #expect(question.code == "identity_needs_confirmation" && question["can_mail_code"] == true)
        return (stranger, question)
    }

    private func code(_ server: TestServer, of question: TestAnswer) async throws -> String {
        server.passInterval()
        let answer = try await server.post("/link/code", ["link_ticket": question["link_ticket"] ?? .null])
        #expect(answer.status == 200)
        let (code, _, mail) = try await server.deliveredMail()
        #expect(mail.content.recipient.text == Self.email && mail.link == nil)
        #expect(mail.content.kind == .linkConfirmation && mail.lifetime == LinkStore.ticketLifetime)
        return code
    }

    private func confirm(_ server: TestServer, _ question: TestAnswer, _ code: String) async throws -> TestAnswer {
        try await server.post(
            "/token?grant_type=link_confirmation",
            ["link_ticket": question["link_ticket"] ?? .null, "email": .string(Self.email), "token": .string(code)])
    }

    @Test("D7: A code proves an account with a proven address, and takes nothing from it", arguments: TestDatabase.all)
    func proven(_ kind: TestDatabase) async throws {
        try await serve(on: kind, linking: .confirm) { server in
            let owner = try #require(
                TestSession(try await server.idTokenGrant("google", try await server.googleCredential())))
            let question = try await server.idTokenGrant("apple", try await server.appleCredential())
            let linked = try await confirm(server, question, try await code(server, of: question))
            #expect(linked["user"]?["id"]?.stringValue == owner.userID)
            #expect(linked["user"]?["identities"]?.arrayValue?.count == 2)
            #expect(try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken).status == 200)
            let again = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(again["user"]?["id"]?.stringValue == owner.userID)
        }
    }

    @Test("D8: Where the code is the first proof, what was entered before is set aside", arguments: TestDatabase.all)
    func unproven(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let stranger = try await server.signUp(Self.email, password: "the stranger's password")
            _ = try await server.idTokenGrant(
                "apple", try await server.appleCredential("existing", email: "stranger@example.com"),
                adding: ["link_identity": true], bearer: stranger.accessToken)
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            let linked = try await confirm(server, question, try await code(server, of: question))
            #expect(linked["user"]?["id"]?.stringValue == stranger.userID)
            let providers = linked["user"]?["identities"]?.arrayValue?.compactMap { $0["provider"]?.stringValue }
            #expect(Set(providers ?? []) == ["email", "google"])
            let refused = try await server.signIn(Self.email, password: "the stranger's password")
            #expect(refused.code == "credential_set_aside")
            #expect(try await server.send(.get, "/auth/v1/user", bearer: stranger.accessToken).status == 403)
            #expect(try await server.refresh(stranger.refreshToken).status == 400)
            let apple = try await server.idTokenGrant(
                "apple", try await server.appleCredential("existing", email: "stranger@example.com"))
            #expect(apple["user"]?["id"]?.stringValue != stranger.userID)
        }
    }

    @Test("A code is good once, for its ticket, and void after five wrong ones", arguments: TestDatabase.all)
    func bound(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server in
            let (_, google) = try await asked(server)
            let apple = try await server.idTokenGrant("apple", try await server.appleCredential())
            let first = try await code(server, of: google)
            // Another ticket's, and not a code to sign in with.
            #expect(try await confirm(server, apple, first).code == "otp_expired")
            for type in ["email", "magiclink", "recovery", "signup", "email_change"] {
                #expect(try await server.verify(type, code: first, email: Self.email).code == "otp_expired")
            }
            for _ in 0..<4 { _ = try await confirm(server, google, TestServer.wrong(first)) }
            #expect(try await confirm(server, google, first).code == "otp_expired")
            let second = try await code(server, of: google)
            let linked = try await confirm(server, google, second)
            #expect(linked.status == 200)
            #expect(try await confirm(server, google, second).code == "link_ticket_not_found")
            #expect(try await confirm(server, apple, second).code == "otp_expired")
        }
    }

    @Test("Wrong codes count against the code and its caller; the interval and the end of the ticket hold")
    func limits() async throws {
        var rates = AuthRates()
        rates.failedSignIns = 3
        try await serve(limits: rates) { server in
            let (_, question) = try await asked(server)
            let code = try await code(server, of: question)
            let ticket: AuthJSON = ["link_ticket": question["link_ticket"] ?? .null]
            #expect(try await server.post("/link/code", ticket).code == "over_email_send_rate_limit")
            for _ in 0..<6 { #expect(try await confirm(server, question, TestServer.wrong(code)).status == 403) }
            #expect(try await confirm(server, question, TestServer.wrong(code)).status == 429)
            #expect(try await server.signIn(Self.email, password: "the stranger's password").status == 200)
            server.clock.advance(by: .seconds(600))
            #expect(try await server.post("/link/code", ticket).code == "link_ticket_not_found")
            #expect(try await confirm(server, question, code).code == "link_ticket_not_found")
        }
    }

    @Test("A server without mail offers no code")
    func withoutMail() async throws {
        try await serve(change: { $0.mail = nil }) { server in
            _ = try await server.signUp(Self.email)
            let question = try await server.idTokenGrant("google", try await server.googleCredential())
            #expect(question["can_mail_code"] == nil)
            let ticket: AuthJSON = ["link_ticket": question["link_ticket"] ?? .null]
            #expect(try await server.post("/link/code", ticket).code == "email_provider_disabled")
            #expect(try await confirm(server, question, "123456").code == "otp_expired")
        }
    }

    @Test("No code goes to an account that has another address", arguments: TestDatabase.all)
    func otherAddress(_ kind: TestDatabase) async throws {
        try await serve(on: kind, linking: .confirm) { server in
            let owner = try #require(
                TestSession(try await server.idTokenGrant("google", try await server.googleCredential())))
            _ = try await server.admin(.put, "/users/\(owner.userID)", json: ["email": "other@example.com"])
            let question = try await server.idTokenGrant("apple", try await server.appleCredential())
            #expect(question.code == "identity_needs_confirmation" && question["can_mail_code"] == nil)
            let ticket: AuthJSON = ["link_ticket": question["link_ticket"] ?? .null]
            #expect(try await server.post("/link/code", ticket).code == "validation_failed")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }
}
