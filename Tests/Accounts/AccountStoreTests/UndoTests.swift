import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Undoing a link")
struct UndoTests {
    private func undo(
        _ provider: String, of user: UserID, in store: StoreFixture
    ) async throws -> UnlinkOutcome {
        let account = try #require(try await store.accounts.admin.account(user))
        let id = try #require(account.identities.first { $0.provider == provider }?.id)
        store.tick()
        return try await store.accounts.links.undoLink(id, of: user, by: nil, at: store.clock.now)
    }

    @Test(
        "The account is as before, the identity's sessions end, and it counts as another person's from then on",
        arguments: TestDatabase.all)
    func undone(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn(metadata: ["name": "Ada"])
        _ = try await store.storage.database.write { db in try db.run("UPDATE profiles SET name = NULL") }
        let before = try await store.user(owner.account.user.id)
        let identity = store.identity(data: ["name": "Bob"], profile: ProfileFill(firstName: "Bob", name: "Bob B."))
        let ticket = try await store.asked(identity).ticket
        let linked = try #require(try await store.confirm(ticket, by: owner).session?.issued)
        #expect(try await store.text("SELECT first_name || name FROM profiles") == "BobBob B.")
        _ = try await store.storage.database.write { db in try db.run("UPDATE profiles SET name = 'Ada L.'") }
        store.clock.advance(by: .seconds(29 * 86_400))
        guard case .unlinked(let left) = try await undo("google", of: owner.account.user.id, in: store) else {
            Issue.record("not undone")
            return
        }
        #expect(left.user.userMetadata == before.userMetadata)
        #expect(left.user.appMetadata == before.appMetadata)
        #expect(left.user.times.emailProvenAt == nil)
        #expect(left.identities.map(\.provider) == ["email"])
        #expect(try await store.text("SELECT coalesce(first_name, '-') || name FROM profiles") == "-Ada L.")
        #expect(try await store.refresh(linked.refreshToken).issued == nil)
        #expect(try await store.log(1) == ["identity_link_undone \(LinkingRule.undoneByOwner.rawValue)"])
        let other = try await store.entered(identity)
        #expect(other.rule == .undoneBefore)
        #expect(other.user != owner.account.user.id)
        #expect(try await store.user(other.user).email == nil)
    }

    @Test("The session of the caller stays, even if the link opened it", arguments: TestDatabase.all)
    func caller(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let linked = try #require(try await store.link(store.identity(), to: owner).session?.issued)
        let id = try #require(linked.account.identities.first { $0.provider == "google" }?.id)
        store.tick()
        let outcome = try await store.accounts.links.undoLink(
            id, of: owner.account.user.id, by: linked.session.id, at: store.clock.now)
        guard case .unlinked = outcome else {
            Issue.record("not undone")
            return
        }
        #expect(try await store.refresh(linked.refreshToken).issued != nil)
    }

    @Test("After 30 days, and for an identity that was never linked, there is no undo", arguments: TestDatabase.all)
    func tooLate(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity()).user
        _ = try await store.entered(store.identity("apple"))
        guard case .tooLate = try await undo("google", of: user, in: store) else {
            Issue.record("undone, though the account was made with it")
            return
        }
        store.clock.advance(by: LinkUndo.period)
        guard case .tooLate = try await undo("apple", of: user, in: store) else {
            Issue.record("undone too late")
            return
        }
        #expect(try await store.log(1) == ["identity_refused \(LinkingRule.undoTooLate.rawValue)"])
        #expect(try await store.accounts.links.undoableLinks(of: user, at: store.clock.now).isEmpty)
        let unknown = try await store.accounts.links.undoLink(
            IdentityID(trusted: user.text), of: user, by: nil, at: store.clock.now)
        guard case .refused(.notFound) = unknown else {
            Issue.record("expected: not found")
            return
        }
    }

    @Test("A link that became the last sign-in method cannot be undone", arguments: TestDatabase.all)
    func lastMethod(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let guest = try await store.accounts.signIns.signUpAnonymously(
            metadata: [:], from: store.device, at: store.clock.now)
        _ = try #require(try await store.link(store.identity(), to: guest).session)
        guard case .refused(.lastMethod) = try await undo("google", of: guest.account.user.id, in: store) else {
            Issue.record("the last method went")
            return
        }
    }
}
