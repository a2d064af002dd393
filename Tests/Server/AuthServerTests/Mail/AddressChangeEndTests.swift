import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("A change of address whose session ends")
struct AddressChangeEndTests {
    /// A pending change to `new@example.com`, and both emails' codes.
    private struct Change {
        let session: TestSession
        let old: String
        let new: String
    }

    private func begin(_ server: TestServer, in session: TestSession) async throws -> Change {
        let asked = try await server.send(
            .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
        #expect(asked["new_email"] == "new@example.com", "\(asked)")
        return try await sent(server, in: session)
    }

    private func sent(_ server: TestServer, in session: TestSession) async throws -> Change {
        let mails = try await server.deliveredMails()
        func code(to address: String) throws -> String {
            try #require(mails.first { $0.content.recipient.text == address }?.content.code).reveal()
        }
        return Change(session: session, old: try code(to: "ada@example.com"), new: try code(to: "new@example.com"))
    }

    /// As a program before this rule did.
    private func beginWithoutSession(_ server: TestServer, _ session: TestSession) async throws -> Change {
        let user = try #require(UserID(session.userID))
        var update = UserUpdate()
        let email = try #require(EmailAddress("new@example.com"))
        let mail = MailRequest(redirectTo: "", lifetime: .seconds(3_600))
        update.emailChange = EmailChange(email: email, mail: mail, asksBoth: true)
        _ = try await server.accounts.update(user, update, keeping: nil, at: server.clock.now)
        return try await sent(server, in: session)
    }

    /// Confirms with both codes, without a bearer.
    private func confirm(_ change: Change, _ server: TestServer) async throws -> TestAnswer {
        _ = try await server.verify("email_change", code: change.old, email: "ada@example.com")
        return try await server.verify("email_change", code: change.new, email: "new@example.com")
    }

    private func expectGone(_ change: Change, _ server: TestServer, seenBy owner: TestSession) async throws {
        let user = try await server.send(.get, "/auth/v1/user", bearer: owner.accessToken)
        #expect(user["email"] == "ada@example.com" && user["new_email"] == nil, "\(user)")
        #expect(try await confirm(change, server).status == 403)
        server.passInterval()
        let json: AuthJSON = ["type": "email_change", "email": "ada@example.com"]
        _ = try await server.post("/resend", json)
        #expect(try await server.deliveredMails().allSatisfy { $0.content.code == nil })
    }

    private func path(of session: TestSession, _ server: TestServer) throws -> String {
        try #require(try server.keys.verify(session.accessToken).claims.sessionID)
    }

    @Test("Who ends a session ends the change of address that it may have begun", arguments: TestDatabase.all)
    func otherSession(_ kind: TestDatabase) async throws {
        for isByAdministrator in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                try await server.confirmed()
                let (owner, thief) = (try await server.low(), try await server.low())
                let change = try await begin(server, in: thief)
                let id = try path(of: thief, server)
                let ended =
                    isByAdministrator
                    ? try await server.admin(.delete, "/users/\(thief.userID)/sessions/\(id)")
                    : try await server.send(.delete, "/auth/v1/sessions/\(id)", bearer: owner.accessToken)
                #expect(ended.status == 204 || ended.status == 200, "\(ended)")
                try await expectGone(change, server, seenBy: owner)
            }
        }
    }

    @Test("The first second factor, which ends other sessions, ends a change of address", arguments: TestDatabase.all)
    func firstFactor(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let (owner, thief) = (try await server.low(), try await server.low())
            let change = try await begin(server, in: thief)
            let app = try await server.enroll(owner)
            let challenge = try await server.challenge(app.factor, owner)
            let answer = try await server.answer(server.code(of: app), of: app, challenge, owner)
            #expect(answer.status == 200 && answer["user"]?["new_email"] == nil, "\(answer)")
            try await expectGone(change, server, seenBy: try #require(TestSession(answer)))
        }
    }

    @Test("A change of address ends with its own session, signed out or copied", arguments: TestDatabase.all)
    func ownSession(_ kind: TestDatabase) async throws {
        for way in 0..<3 {
            try await TestServer.mailing(on: kind) { server in
                try await server.confirmed()
                let owner = try await server.low()
                let change = try await begin(server, in: try await server.low())
                let session = change.session
                _ = try await server.verify("email_change", code: change.old, email: "ada@example.com")
                switch way {
                case 0:
                    _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: session.accessToken)
                case 1:
                    let path = "/auth/v1/sessions/\(try path(of: session, server))"
                    _ = try await server.send(.delete, path, bearer: session.accessToken)
                default:
                    let next = try #require(TestSession(try await server.refresh(session.refreshToken)))
                    _ = try await server.refresh(next.refreshToken)
                    server.clock.advance(by: .seconds(60))
                    #expect(try await server.refresh(session.refreshToken).code == "refresh_token_already_used")
                }
                let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                #expect(user.code == "session_not_found", "\(way): \(user)")
                try await expectGone(change, server, seenBy: owner)
            }
        }
    }

    @Test("A change of address ends with the time of its session", arguments: TestDatabase.all)
    func overdue(_ kind: TestDatabase) async throws {
        for policy in [SessionPolicy(timebox: .seconds(600)), SessionPolicy(inactivity: .seconds(600))] {
            try await mailing(on: kind, policy) { server in
                let change = try await begin(server, in: try await server.low())
                server.clock.advance(by: .seconds(601))
                let owner = try await server.low()
                let json: AuthJSON = ["type": "email_change", "email": "ada@example.com"]
                #expect(try await server.post("/resend", json).status == 200)
                #expect(try await server.deliveredMails().allSatisfy { $0.content.code == nil })
                #expect(try await confirm(change, server).status == 403)
                try await expectGone(change, server, seenBy: owner)
            }
        }
    }

    @Test("A generated link does not bring back a change whose session has ended", arguments: TestDatabase.all)
    func generated(_ kind: TestDatabase) async throws {
        try await mailing(on: kind, SessionPolicy(timebox: .seconds(600))) { server in
            let change = try await begin(server, in: try await server.low())
            server.clock.advance(by: .seconds(601))
            let made = try await server.admin(
                .post, "/generate_link",
                json: ["type": "email_change_new", "email": "ada@example.com", "new_email": "new@example.com"])
            let code = try #require(made["email_otp"]?.stringValue, "\(made)")
            let half = try await server.verify("email_change", code: code, email: "new@example.com")
            #expect(half.status == 200, "\(half)")
            #expect(try await server.verify("email_change", code: change.old).status == 403)
        }
    }

    private func mailing(
        on kind: TestDatabase, _ policy: SessionPolicy, _ test: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind, policy: policy) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = false
        } _: { server in
            try await server.confirmed()
            try await test(server)
        }
    }

    @Test("A change of address outlives the sign-out of a session that did not begin it", arguments: TestDatabase.all)
    func anotherSession(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let other = try await server.low()
            let change = try await begin(server, in: try await server.low())
            let ended = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: other.accessToken)
            #expect(ended.status == 204)
            #expect(try await confirm(change, server)["user"]?["email"] == "new@example.com")
        }
    }

    @Test("A change of address that no session began waits for its codes alone", arguments: TestDatabase.all)
    func withoutSession(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let session = try await server.low()
            let change = try await beginWithoutSession(server, session)
            _ = try await server.send(.post, "/auth/v1/logout?scope=local", bearer: session.accessToken)
            #expect(try await confirm(change, server)["user"]?["email"] == "new@example.com")
        }
    }

    @Test("A change of address that no session began is not mailed after its codes", arguments: TestDatabase.all)
    func repeatedWithoutSession(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let change = try await beginWithoutSession(server, try await server.low())
            server.passInterval()
            let json: AuthJSON = ["type": "email_change", "email": "ada@example.com"]
            _ = try await server.post("/resend", json)
            #expect(try await server.deliveredMails().count == 2)
            server.clock.advance(by: .seconds(3_600))
            _ = try await server.post("/resend", json)
            #expect(try await server.deliveredMails().isEmpty)
            try await expectGone(change, server, seenBy: try await server.low())
        }
    }

    @Test("Signing everyone out ends a change of address that no session began", arguments: TestDatabase.all)
    func everyone(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let change = try await beginWithoutSession(server, try await server.low())
            while try await server.accounts.sessions.endSomeSessions(at: server.clock.now) > 0 {}
            #expect(try await server.accounts.sessions.endAddressChanges(after: nil, at: server.clock.now) != nil)
            try await expectGone(change, server, seenBy: try await server.low())
        }
    }

    @Test("A change of address outlives a second step, also in another session", arguments: TestDatabase.all)
    func secondStep(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let first = try await server.low()
            let app = try await server.enroll(first)
            let raised = try await server.raised(first, by: app)
            _ = try await server.deliveredMails()
            let change = try await begin(server, in: raised)
            _ = try await server.raised(try await server.low(), by: app)
            #expect(try await confirm(change, server)["user"]?["email"] == "new@example.com")
        }
    }
}
