import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Deleting an account")
struct DeletionTests {
    @Test("C1: Account, identities, sessions and profile are deleted together", arguments: TestDatabase.all)
    func hard(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        _ = try await store.signedIn("grace@example.com")
        let id = issued.account.user.id
        #expect(try await store.accounts.delete(id, actor: id, at: store.clock.now))
        for table in ["users", "identities", "sessions", "profiles"] {
            #expect(try await store.count(table) == 1, "\(table)")
        }
        #expect(try await store.accounts.delete(id, actor: id, at: store.clock.now) == false)
    }

    @Test("C1: An active session, or a token without one, deletes its own account")
    func own() async throws {
        for (given, isDone) in [(nil, true), ("", true), ("00000000-0000-0000-0000-000000000000", true), ("?", false)] {
            let store = try await StoreFixture(.sqlite)
            let id = try await store.signedIn().account.user.id
            let outcome = try await store.accounts.deleteOwn(
                id, session: given, level: .aal1, at: store.clock.now)
            #expect(try await store.count("users") == (isDone ? 0 : 1))
            if case .refused = outcome { #expect(!isDone) } else { #expect(isDone) }
        }
    }

    @Test("A soft deletion keeps the id and no personal data", arguments: TestDatabase.all)
    func soft(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn(metadata: ["first_name": "Ada"])
        let id = issued.account.user.id
        #expect(try await store.accounts.softDelete(id, at: store.clock.now))
        let left = try #require(try await store.accounts.admin.account(id))
        #expect(left.user.times.deletedAt == store.clock.now)
        #expect(left.user.passwordHash == nil)
        #expect(left.user.userMetadata == "{}")
        #expect(left.identities.map(\.data) == ["{}"])
        #expect(!"\(left.user.email ?? "")\(left.identities[0].providerID)".contains("ada"))
        #expect(try await store.count("sessions") == 0)
        #expect(try await store.count("profiles") == 0)
        #expect(try await store.accounts.softDelete(id, at: store.clock.now + .seconds(5)))
        #expect(try await store.accounts.admin.account(id)?.user.times.deletedAt == store.clock.now)
        // A returning user can be deleted again.
        guard case .signedIn(let back) = try await store.signUp() else {
            Issue.record("the address is not free")
            return
        }
        #expect(try await store.accounts.softDelete(back.account.user.id, at: store.clock.now))
        #expect(try await store.count("users") == 2)
    }

    @Test("An erased account is neither changed nor linked to, whatever its address", arguments: TestDatabase.all)
    func unchangeable(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let id = try await store.signedIn().account.user.id
        #expect(try await store.accounts.softDelete(id, at: store.clock.now))
        let email = try #require(EmailAddress("late@example.com"))
        var changes = AdminAttributes()
        (changes.email, changes.passwordHash, changes.userMetadata) = (email, Secret("$new$"), ["full_name": "Ada"])
        guard case .unknownUser = try await store.accounts.admin.update(id, changes, at: store.clock.now) else {
            Issue.record("an erased account was changed")
            return
        }
        let left = try #require(try await store.accounts.admin.account(id)).user
        #expect(left.passwordHash == nil && left.userMetadata == "{}" && left.email != email.text)
        // Earlier versions gave such accounts another address.
        try await store.storage.database.write { db in
            _ = try db.run("UPDATE users SET email = \(email.text) WHERE id = \(id.text)")
        }
        for kind: MailKind in [.signUp, .invite, .magicLink, .recovery, .emailChangeNew] {
            var order = LinkOrder(
                kind, email, MailRequest(redirectTo: "", lifetime: .seconds(600)), from: store.device)
            order.newEmail = EmailAddress("new@example.com")
            guard case .unknownUser = try await store.accounts.mails.makeLink(order, at: store.clock.now) else {
                Issue.record("a link \(kind) was made")
                continue
            }
        }
        #expect(try await store.accounts.delete(id, actor: nil, at: store.clock.now))
    }
}
