import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("First proof of an address with linked providers")
struct FirstProofStoreTests {
    private func proven(_ store: StoreFixture) async throws -> IssuedSession {
        try await store.provenOwner("ada@example.com")
    }

    @Test(
        "Sets aside providers that do not vouch for the address", arguments: TestDatabase.all)
    func providers(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let grant = ProviderGrant(refreshToken: Secret("r"), client: "c")
        _ = try await store.link(store.identity("apple", "7", email: "eve@example.com"), to: issued, grant: grant)
        let user = issued.account.user.id
        #expect(try await store.accounts.admin.account(user)?.identities.map(\.provider) == ["email", "apple"])
        let owner = try await proven(store)
        #expect(owner.account.identities.map(\.provider) == ["email"])
        let account = try #require(try await store.accounts.admin.account(user))
        #expect(account.identities.map(\.provider) == ["email"])
        #expect(account.user.passwordHash == nil && account.user.times.emailProvenAt == store.clock.now)
        #expect(!account.user.appMetadata.contains("apple"))
        #expect(try await store.refresh(issued.refreshToken).issued == nil)
        #expect(try await store.accounts.providerCalls.takeFromOutbox(at: store.clock.now).isEmpty)
        #expect(account.user.setAside.methods == ["password", "apple"])
        // Perhaps it was the owner's: its next sign-in asks for the account.
        let question = try await store.asked(store.identity("apple", "7", email: "eve@example.com"))
        #expect(question.rule == .unlinkedBefore && question.canRecover)
        let linked = try #require(try await store.confirm(question.ticket, by: owner).session)
        #expect(linked.user == user)
        #expect(try await store.rows("SELECT 1 FROM link_removals") == 0)
        #expect(try await store.entered(store.identity("apple", "7", email: "eve@example.com")).user == user)
    }

    @Test("A proof by mail survives the undoing of an earlier link", arguments: TestDatabase.all)
    func undone(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let ticket = try await store.asked(store.identity()).ticket
        let linked = try #require(try await store.confirm(ticket, by: issued).session?.issued)
        let session = try await proven(store)
        let id = try #require(session.account.identities.first { $0.provider == "google" }?.id)
        store.tick()
        let outcome = try await store.accounts.links.undoLink(
            id, of: linked.account.user.id, by: session.session.id, at: store.clock.now)
        guard case .unlinked(let left) = outcome else { throw NotSignedIn() }
        #expect(left.user.times.emailProvenAt != nil)
    }
}
