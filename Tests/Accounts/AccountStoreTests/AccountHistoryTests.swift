import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

@Suite("What administrators see and end of one account")
struct AccountHistoryTests {
    @Test("The history has what the user did and what administrators did, newest first", arguments: TestDatabase.all)
    func history(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn().account.user
        let eve = try await store.signedIn("eve@example.com").account.user
        store.clock.advance(by: .seconds(1))
        _ = try await store.accounts.admin.endSessions(of: ada.id, byAdministratorOn: store.device, at: store.clock.now)
        store.clock.advance(by: .seconds(1))
        let email = try #require(EmailAddress("ada@example.com"))
        let request = MailRequest(redirectTo: "", lifetime: .seconds(600))
        try await store.accounts.mails.ask(MailAsk(.recovery, .email(email), request), at: store.clock.now)
        let mail = try #require(
            try await store.accounts.mailQueue.takeMails(.codes, limit: 8, lease: .seconds(60), at: store.clock.now)
                .first)
        guard case .request(let ask) = mail.content else { throw NotSignedIn() }
        _ = try await store.accounts.mails.resolve(ask, of: mail, at: store.clock.now)
        _ = try await store.accounts.delete(eve.id, actor: nil, at: store.clock.now)
        let history = try await store.accounts.admin.history(of: ada.id, limit: 100)
        #expect(history.audit.first?.action == "logout" && history.audit.first?.actorName == "service_role")
        #expect(history.audit.map(\.action).contains("user_signedup"))
        #expect(history.audit.map(\.createdAt) == history.audit.map(\.createdAt).sorted(by: >))
        #expect(history.mails.map(\.kind) == ["recovery"])
        #expect(try await store.accounts.admin.history(of: ada.id, limit: 1).audit.map(\.action) == ["logout"])
        let gone = try await store.accounts.admin.history(of: eve.id, limit: 100).audit.map(\.action)
        #expect(gone.first == "user_deleted" && gone.contains("user_signedup"))
        let nobody = UserID(bytes: Array(repeating: 1, count: 16))
        #expect(try await store.accounts.admin.history(of: nobody, limit: 100).isEmpty)
    }

    @Test("An administrator ends one session or all of a user, and the record says who", arguments: TestDatabase.all)
    func sessions(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let user = first.account.user.id
        let account = try #require(try await store.accounts.admin.account(user))
        guard
            case .signedIn(let second) = try await store.accounts.signIns.signIn(
                account, from: store.device, at: store.clock.now)
        else { throw NotSignedIn() }
        let other = try await store.signedIn("eve@example.com")
        let device = Device(userAgent: "console", address: "192.0.2.9")
        func end(_ session: SessionID, of user: UserID) async throws -> Bool? {
            try await store.accounts.admin.endSession(session, of: user, byAdministratorOn: device, at: store.clock.now)
        }
        #expect(try await end(first.session.id, of: user) == true)
        #expect(try await end(first.session.id, of: user) == false)
        #expect(try await end(second.session.id, of: other.account.user.id) == false)
        let nobody = UserID(bytes: Array(repeating: 1, count: 16))
        #expect(try await end(second.session.id, of: nobody) == nil)
        for count in [1, 0] {
            let ended = try await store.accounts.admin.endSessions(
                of: user, byAdministratorOn: device, at: store.clock.now)
            #expect(ended == count)
        }
        #expect(
            try await store.accounts.admin.endSessions(of: nobody, byAdministratorOn: device, at: store.clock.now)
                == nil)
        let ends = try await store.accounts.sessions.endedSessions(of: user, at: store.clock.now)
        #expect(Set(ends.map(\.reason)) == [.signedOut, .signedOutEverywhere])
        #expect(ends.allSatisfy { $0.actor == .administrator && $0.endedBy?.userAgent == "console" })
        #expect(ends.allSatisfy { $0.story.hasPrefix("An administrator signed the user out") })
        #expect(try await store.refresh(other.refreshToken).issued != nil)
        #expect(try await store.refresh(second.refreshToken).issued == nil)
    }
}
