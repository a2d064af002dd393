import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("A change of address whose session ends")
struct AddressChangeEndTests {
    /// A change to `new@example.com` that waits, and the codes of both mails.
    private struct Change {
        let session: TestSession
        let old: String
        let new: String
    }

    private func begin(_ server: TestServer, in session: TestSession) async throws -> Change {
        let asked = try await server.send(
            .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
        #expect(asked["new_email"] == "new@example.com", "\(asked)")
        let mails = try await server.deliveredMails()
        func code(to address: String) throws -> String {
            try #require(mails.first { $0.content.recipient.text == address }?.content.code).reveal()
        }
        return Change(session: session, old: try code(to: "ada@example.com"), new: try code(to: "new@example.com"))
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
        let json: AnyJSON = ["type": "email_change", "email": "ada@example.com"]
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

    @Test("A change of address outlives the sign-out of its own session", arguments: TestDatabase.all)
    func ownSession(_ kind: TestDatabase) async throws {
        for isByList in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                try await server.confirmed()
                let change = try await begin(server, in: try await server.low())
                let bearer = change.session.accessToken
                let ended =
                    isByList
                    ? try await server.send(
                        .delete, "/auth/v1/sessions/\(try path(of: change.session, server))", bearer: bearer)
                    : try await server.send(.post, "/auth/v1/logout?scope=local", bearer: bearer)
                #expect(ended.status == 204, "\(ended)")
                #expect(try await confirm(change, server)["user"]?["email"] == "new@example.com")
            }
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
