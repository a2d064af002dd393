import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Unlinking")
struct UnlinkTests {
    private func unlink(
        _ provider: String, of issued: IssuedSession, in store: StoreFixture
    ) async throws -> UnlinkOutcome {
        let account = try #require(try await store.accounts.admin.account(issued.account.user.id))
        let id = try #require(account.identities.first { $0.provider == provider }?.id)
        store.tick()
        return try await store.accounts.links.unlink(
            id, of: account.user.id, keeping: issued.session.id, at: store.clock.now)
    }

    @Test(
        "D7: A method is removed with its other sessions and its tokens, and does not return by itself",
        arguments: TestDatabase.all)
    func unlinked(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let grant = ProviderGrant(refreshToken: Secret("r"), client: "c")
        let linked = try #require(try await store.link(store.identity(), to: owner, grant: grant).session?.issued)
        let elsewhere = try #require(try await store.entered(store.identity()).issued)
        guard case .unlinked(let left) = try await unlink("google", of: linked, in: store) else {
            Issue.record("not unlinked")
            return
        }
        #expect(left.identities.map(\.provider) == ["email"])
        #expect(left.user.appMetadata == #"{"provider":"email","providers":["email"]}"#)
        #expect(left.user.email == "ada@example.com")
        #expect(try await store.refresh(linked.refreshToken).issued != nil)
        #expect(try await store.refresh(owner.refreshToken).issued != nil)
        #expect(try await store.refresh(elsewhere.refreshToken).issued == nil)
        #expect(try await store.accounts.providerCalls.outboxBacklog().count == 1)
        #expect(try await store.log(1) == ["identity_unlinked \(LinkingRule.unlinkedByOwner.rawValue)"])
        let question = try await store.asked(store.identity())
        #expect(question.rule == .unlinkedBefore)
        #expect(!question.canRecover)
        #expect(try await store.link(store.identity(), to: owner).session != nil)
        #expect(try await store.rows("SELECT 1 FROM link_removals") == 0)
    }

    @Test("D7: The last method stays, and the log records the attempt", arguments: TestDatabase.all)
    func last(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try #require(try await store.entered(store.identity()).issued)
        guard case .refused(.lastMethod) = try await unlink("google", of: owner, in: store) else {
            Issue.record("the last method went")
            return
        }
        #expect(try await store.log(1) == ["identity_refused \(LinkingRule.lastMethod.rawValue)"])
        let unknown = try await store.accounts.links.unlink(
            IdentityID(trusted: owner.account.user.id.text), of: owner.account.user.id, keeping: nil,
            at: store.clock.now)
        guard case .refused(.lastMethod) = unknown else {
            Issue.record("expected the answer of the Auth API")
            return
        }
    }

    @Test(
        "Without the address's identity the account has the provider's, as recorded", arguments: TestDatabase.all)
    func promoted(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let linked = try #require(
            try await store.link(store.identity(email: "ada@example.org"), to: owner).session?.issued)
        guard case .unlinked = try await unlink("email", of: linked, in: store) else {
            Issue.record("not unlinked")
            return
        }
        let user = try await store.user(owner.account.user.id)
        #expect(user.email == "ada@example.org")
        #expect(user.times.emailProvenAt == store.clock.now)
        #expect(user.passwordHash == nil)
        #expect(user.userMetadata == owner.account.user.userMetadata)
        // The password's session ends with the password.
        #expect(try await store.refresh(owner.refreshToken).issued == nil)
        #expect(try await store.refresh(linked.refreshToken).issued != nil)
    }

    @Test("An address of another account is not taken", arguments: TestDatabase.all)
    func conflict(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        _ = try await store.signedIn("ada@example.org")
        let linked = try #require(
            try await store.link(store.identity(email: "ada@example.org"), to: owner).session?.issued)
        guard case .refused(.addressConflict) = try await unlink("email", of: linked, in: store) else {
            Issue.record("expected a conflict")
            return
        }
        #expect(try await store.log(1) == ["identity_refused \(LinkingRule.addressConflict.rawValue)"])
        let nobody = try await store.accounts.links.unlink(
            linked.account.identities[0].id, of: UserID(trusted: linked.session.id.text), keeping: nil,
            at: store.clock.now)
        guard case .gone = nobody else {
            Issue.record("expected no account")
            return
        }
    }
}
