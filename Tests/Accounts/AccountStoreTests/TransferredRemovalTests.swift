import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

@Suite("Removed identities from one server to another")
struct TransferredRemovalTests {
    private static func apple(_ store: StoreFixture) -> ProviderIdentity { store.identity("apple", "2") }

    /// Removed Google's identity, and undid the link of Apple's.
    private func owner(_ store: StoreFixture) async throws -> UserID {
        let owner = try await store.signedIn()
        let user = owner.account.user.id
        let google = try await linked(store.identity(), to: owner, store)
        guard
            case .unlinked = try await store.accounts.links.unlink(google, of: user, keeping: nil, at: store.clock.now)
        else { throw NotSignedIn() }
        let apple = try await linked(Self.apple(store), to: try await store.signedInAgain(user), store)
        guard case .unlinked = try await store.accounts.links.undoLink(apple, of: user, by: nil, at: store.clock.now)
        else { throw NotSignedIn() }
        return user
    }

    private func linked(
        _ identity: ProviderIdentity, to owner: IssuedSession, _ store: StoreFixture
    ) async throws -> IdentityID {
        let issued = try #require(try await store.link(identity, to: owner).session?.issued)
        let added = issued.account.identities.first { $0.provider == identity.provider }
        store.tick()
        return try #require(added?.id)
    }

    @Test(
        "A removed identity is linked there only after a question, and an undone one counts as another person's",
        arguments: TestDatabase.all)
    func remembered(_ kind: TestDatabase) async throws {
        let source = try await StoreFixture(kind)
        let user = try await owner(source)
        _ = try await source.signedIn("grace@example.com")
        let exported = try await source.accounts.transfers.exportedAccounts(after: nil, limit: 10)
        #expect(exported.map(\.removals.count).sorted() == [0, 2])
        let ada = try #require(exported.first { $0.account.user.id == user })
        var account = ImportedAccount(ada.account)
        account.removals = ada.removals

        let target = try await StoreFixture(kind)
        target.clock.advance(by: source.clock.uptime + .seconds(60))
        #expect(try await target.accounts.transfers.add(account, at: target.clock.now).account == .added)
        #expect(try await target.asked(target.identity()).rule == .unlinkedBefore)
        let other = try await target.entered(Self.apple(target))
        #expect(other.rule == .undoneBefore && other.user != user)
        let again = try await target.accounts.transfers.exportedAccounts(after: nil, limit: 10)
        #expect(again.flatMap(\.removals).map(\.providerID) == ["1", "2"])
    }
}
