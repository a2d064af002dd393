import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Notices of connected apps")
struct ConnectionNoticeTests {
    private func serve(
        on kind: TestDatabase, _ test: (TestServer, TestSession) async throws -> Void
    ) async throws {
        try await TestServer.with(on: kind) { settings in
            settings.mail = MailRules()
            settings.mail?.notices = [.appConnected]
            settings.confirmsAutomatically = false
            settings.oauth = .test
            settings.connectedAppsPage = "https://accounts.example.org/account/apps"
        } _: { server in
            try await server.confirmed()
            let ada = try await server.low()
            _ = try await server.deliveredMails()
            try await test(server, ada)
        }
    }

    private func decide(
        _ action: String, _ scope: String, _ agent: TestAgent, _ user: TestSession, _ server: TestServer
    ) async throws {
        let id = try await agent.ask(scope)
        let path = "/auth/v1/oauth/authorizations/" + id
        let seen = try await server.send(.get, path, bearer: user.accessToken)
        guard seen["redirect_url"] == nil else { return }
        let decided = try await server.send(
            .post, path + "/consent", bearer: user.accessToken, headers: [.acceptLanguage: "de-AT, en;q=0.5"],
            json: ["action": .string(action)])
        #expect(decided["redirect_url"] != nil, "\(decided)")
    }

    private func notices(_ server: TestServer) async throws -> [MailContent] {
        try await server.deliveredMails().map(\.content)
    }

    @Test("The first approval is reported with its rights in the user's language", arguments: TestDatabase.all)
    func first(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, ada in
            let agent = try await TestAgent(server, named: "Scout")
            try await decide("approve", "email scores:read", agent, ada, server)
            let mails = try await notices(server)
            let mail = try #require(mails.first)
            #expect(mails.count == 1 && mail.kind == .appConnected && mail.recipient.text == "ada@example.com")
            #expect(mail.language == "de-AT, en;q=0.5" && mail.notice?.client == "Scout")
            #expect(
                mail.notice?.access == [
                    ClientAccess(name: "email"), ClientAccess(name: "scores:read", text: "Deine Ergebnisse lesen"),
                ])
            #expect(mail.notice?.page == "https://accounts.example.org/account/apps")
            #expect(mail.notice?.time == server.clock.now && mail.notice?.device != nil)
        }
    }

    @Test("Later approvals of the same app are not, until it was removed", arguments: TestDatabase.all)
    func later(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, ada in
            let agent = try await TestAgent(server)
            for scope in ["email", "email", "email phone"] { try await decide("approve", scope, agent, ada, server) }
            #expect(try await notices(server).count == 1)
            let path = "/auth/v1/user/oauth/grants?client_id=" + agent.id
            #expect(try await server.send(.delete, path, bearer: ada.accessToken).status == 204)
            try await decide("approve", "email", agent, ada, server)
            #expect(try await notices(server).count == 1)
        }
    }

    @Test("A denied app is not", arguments: TestDatabase.all)
    func denied(_ kind: TestDatabase) async throws {
        try await serve(on: kind) { server, ada in
            try await decide("deny", "email", try await TestAgent(server), ada, server)
            #expect(try await notices(server).isEmpty)
        }
    }
}
