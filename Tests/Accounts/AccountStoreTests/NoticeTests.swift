import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Notices of providers")
struct NoticeTests {
    private func apply(
        _ kind: ProviderNotice.Kind, _ id: String = "1", after: Duration = .seconds(1), in store: StoreFixture
    ) async throws -> NoticeOutcome {
        let notice = ProviderNotice(
            id: id, provider: "apple", subject: "1", kind: kind, occurredAt: store.clock.now + after)
        return try await store.accounts.links.apply(notice, at: store.clock.now + .seconds(5))
    }

    private static let grant = ProviderGrant(refreshToken: Secret("r"), client: "c")

    @Test("A user who stops using the provider is signed out of its sessions", arguments: TestDatabase.all)
    func consentRevoked(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let apple = try #require(try await store.entered(store.identity("apple"), grant: Self.grant).issued)
        let google = try #require(try await store.entered(store.identity()).issued)
        #expect(try await apply(.consentRevoked, in: store) == .applied)
        #expect(try await store.refresh(apple.refreshToken).issued == nil)
        #expect(try await store.refresh(google.refreshToken).issued != nil)
        #expect(try await store.rows("SELECT 1 FROM provider_tokens") == 0)
        #expect(try await store.accounts.providerCalls.outboxBacklog().count == 0)
        #expect(try await store.log(1) == ["provider_notice \(LinkingRule.consentRevoked.rawValue)"])
        #expect(try await store.accounts.admin.account(apple.account.user.id)?.identities.count == 2)
        #expect(try await apply(.consentRevoked, in: store) == .repeated)
        #expect(try await store.entered(store.identity("apple")).user == apple.account.user.id)
    }

    @Test("Later actions of the user take precedence", arguments: TestDatabase.all)
    func outdated(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try #require(try await store.entered(store.identity("apple"), grant: Self.grant).issued)
        #expect(try await apply(.consentRevoked, after: .seconds(-1), in: store) == .outdated)
        #expect(try await store.refresh(issued.refreshToken).issued != nil)
        #expect(try await store.rows("SELECT 1 FROM provider_tokens") == 1)
    }

    @Test(
        "An identity whose provider account was deleted is removed, unless it is the last sign-in method",
        arguments: TestDatabase.all)
    func accountDeleted(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity("apple")).user
        #expect(try await apply(.accountDeleted, in: store) == .applied)
        #expect(try await store.accounts.admin.account(user)?.identities.map(\.provider) == ["apple"])
        #expect(try await store.count("sessions") == 0)
        #expect(try await store.log(1) == ["provider_notice \(LinkingRule.providerAccountDeleted.rawValue)"])
        _ = try await store.entered(store.identity("google"))
        #expect(try await apply(.accountDeleted, "2", in: store) == .applied)
        let left = try #require(try await store.accounts.admin.account(user))
        #expect(left.identities.map(\.provider) == ["google"])
        #expect(left.user.appMetadata == #"{"provider":"google","providers":["google"]}"#)
        #expect(try await apply(.accountDeleted, "3", in: store) == .unknownPerson)
    }

    @Test("The latest notice decides whether Apple forwards mail", arguments: TestDatabase.all)
    func mail(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.entered(store.identity("apple"))
        func isStopped() async throws -> Bool {
            try await store.rows("SELECT 1 FROM identities WHERE mail_stopped = 1") == 1
        }
        #expect(try await apply(.emailDisabled, "1", after: .seconds(1), in: store) == .applied)
        #expect(try await isStopped())
        #expect(try await apply(.emailEnabled, "2", after: .seconds(3), in: store) == .applied)
        #expect(try await apply(.emailDisabled, "3", after: .seconds(2), in: store) == .outdated)
        #expect(try await !isStopped())
    }
}
