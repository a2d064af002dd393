import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Events of changes that another person makes")
struct EventTests {
    private static let endpoint = WebhookEndpoint(
        name: "app", url: "https://app.example.org", secrets: [], kinds: Set(AccountEventKind.allCases))
    private static let day: Duration = .seconds(86_400)

    /// Delivers everything, and returns the events.
    private func drain(_ store: StoreFixture) async throws -> [AuthJSON] {
        var events: [AuthJSON] = []
        while true {
            let taken = try await store.accounts.events.takeDeliveries(to: "app", limit: 100, at: store.clock.now)
            if taken.isEmpty { return events }
            events += try taken.compactMap(\.body).map { try JSONReader.read($0) }
            try await store.accounts.events.report(
                taken.map { ($0, .delivered) }, chances: taken.map { _ in 0.5 }, at: store.clock.now)
        }
    }

    private func types(_ events: [AuthJSON]) -> [String] { events.compactMap { $0["type"]?.stringValue } }

    @Test(
        "The owner of an address who takes an unconfirmed account removes its identities", arguments: TestDatabase.all)
    func takeOver(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signUp(isConfirmed: false)
        let signIn = ProviderSignIn(
            store.identity(), rules: ProviderRules(linking: .automatic, address: .present, allowsSignUp: true))
        let accounts = store.accounts.telling([Self.endpoint])
        guard case .signedIn = try await accounts.links.signIn(signIn, from: store.device, at: store.clock.now) else {
            throw NotSignedIn()
        }
        let events = try await drain(store)
        #expect(
            Set(types(events)) == ["identity.unlinked", "identity.linked", "user.updated", "session.started"])
        let former = events.first { $0["type"] == "identity.unlinked" }
        #expect(former?["data"]?["identity"]?["provider"] == "email")
    }

    @Test("The end of a change of address is an update", arguments: TestDatabase.all)
    func addressChange(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let accounts = store.accounts.telling([Self.endpoint])
        for isWaiting in [true, false] {
            if isWaiting {
                _ = try await store.storage.database.write {
                    try $0.run("UPDATE users SET new_email = 'new@example.com'")
                }
            }
            try await accounts.signOut(
                issued.account.user.id, name: "", session: nil, scope: .global, from: store.device,
                at: store.clock.now)
            let events = try await drain(store)
            #expect(types(events) == (isWaiting ? ["session.ended", "user.updated"] : []))
            if isWaiting { #expect(events.last?["data"]?["user"]?["new_email"] == .null) }
        }
    }

    @Test("A session that had ended by policy keeps that reason and time", arguments: TestDatabase.all)
    func policy(_ kind: TestDatabase) async throws {
        let policies: [(SessionPolicy, SessionEnd.Reason, Duration)] = [
            (SessionPolicy(inactivity: Self.day), .inactivity, Self.day),
            (SessionPolicy(timebox: Self.day, inactivity: nil), .lifetime, Self.day),
            (SessionPolicy(timebox: Self.day, inactivity: Self.day * 2), .lifetime, Self.day),
        ]
        for (policy, reason, stay) in policies {
            let store = try await StoreFixture(kind, policy: policy)
            let old = try await store.signedIn()
            store.clock.advance(by: Self.day * 3)
            let accounts = store.accounts.telling([Self.endpoint])
            guard
                case .signedIn(let new) = try await accounts.signIns.signIn(
                    old.account, from: store.device, at: store.clock.now)
            else { throw NotSignedIn() }
            let user = old.account.user.id
            try await accounts.signOut(
                user, name: "", session: new.session.id, scope: .global, from: store.device, at: store.clock.now)
            let ended = try await accounts.sessions.endedSessions(of: user, at: store.clock.now)
            let former = try #require(ended.first { $0.id == old.session.id })
            #expect(former.reason == reason && former.actor == .system && former.endedBy == nil)
            #expect(former.endedAt == old.session.createdAt + stay)
            let other = try #require(ended.first { $0.id == new.session.id })
            #expect(other.reason == .signedOutEverywhere && other.actor == .user && other.endedAt == store.clock.now)
            let reasons = try await drain(store).compactMap { $0["data"]?["reason"]?.stringValue }
            #expect(Set(reasons) == [reason.rawValue, "signed_out_everywhere"] && reasons.count == 2)
        }
    }

    @Test(
        "Without user.deleted an endpoint hears of the end of the sessions, by their ids", arguments: TestDatabase.all)
    func deletion(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let (user, session) = (issued.account.user.id, issued.session.id)
        let sessions = WebhookEndpoint(
            name: "app", url: "https://app.example.org", secrets: [], kinds: [.sessionEnded, .userUpdated])
        let accounts = store.accounts.telling([sessions])
        #expect(try await accounts.delete(user, actor: user, at: store.clock.now))
        let events = try await drain(store)
        #expect(types(events) == ["session.ended"])
        #expect(
            events.first?["data"] == [
                "session": ["id": .string(session.text), "user_id": .string(user.text)], "reason": "account_deleted",
            ])
    }
}
