import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Revoked access tokens")
struct RevocationTests {
    private func told(_ store: StoreFixture, since moment: Instant? = nil) async throws -> [Revocation] {
        try await store.accounts.sessions.revocations(since: moment ?? store.clock.now)
    }

    @Test("Every way to end a session is published after it happened", arguments: TestDatabase.all)
    func endings(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (accounts, clock) = (store.accounts, store.clock)
        var (update, attributes) = (UserUpdate(), AdminAttributes())
        update.passwordHash = Secret("$new$")
        update.checkedHash = Secret("$hash$")
        attributes.passwordHash = Secret("$newer$")
        for step in 0..<7 {
            clock.advance(by: .seconds(1))
            let issued = try await store.signedIn("p\(step)@example.com")
            let (user, session) = (issued.account.user.id, issued.session.id)
            #expect(try await told(store).isEmpty)
            switch step {
            case 0: try await accounts.signOut(user, name: "", session: session, scope: .local, at: clock.now)
            case 1: try await accounts.signOut(user, name: "", session: nil, scope: .global, at: clock.now)
            case 2: #expect(try await accounts.sessions.endSession(session, of: user, name: "", at: clock.now))
            case 3: _ = try await accounts.update(user, update, keeping: nil, at: clock.now)
            case 4: _ = try await accounts.admin.update(user, attributes, at: clock.now)
            case 5: _ = try await accounts.softDelete(user, at: clock.now)
            default: #expect(try await accounts.sessions.endSomeSessions(at: clock.now) == 1)
            }
            let expected = [session.text] + (step == 5 ? [user.text] : [])
            #expect(Set(try await told(store).map(\.id)) == Set(expected), "step \(step)")
            #expect(try await told(store).allSatisfy { $0.until == nil && $0.notedAt == clock.now })
        }
        // The owner continues with the successor, the thief presents an old token.
        let issued = try await store.signedIn()
        for _ in 0..<2 {
            let refreshed = try await accounts.sessions.refresh(
                RefreshToken(issued.refreshToken)!, from: store.device, at: clock.now)
            guard let next = refreshed.issued else { continue }
            _ = try await accounts.sessions.refresh(RefreshToken(next.refreshToken)!, from: store.device, at: clock.now)
            clock.advance(by: .seconds(11))
        }
        #expect(try await told(store).map(\.id) == [issued.session.id.text])
    }

    @Test("An account imported again after its deletion is published as valid", arguments: TestDatabase.all)
    func importedAgain(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let account = try await store.signedIn().account
        #expect(try await store.accounts.delete(account.user.id, actor: nil, at: store.clock.now))
        #expect(try await told(store).map(\.until) == [nil])
        store.clock.advance(by: .seconds(1))
        #expect(try await store.accounts.transfers.add(account, at: store.clock.now) == .added)
        #expect(try await told(store).map(\.until) == [store.clock.now])
    }

    @Test("A deletion, a ban and the end of a ban are published", arguments: TestDatabase.all)
    func people(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.signedIn().account.user.id
        var ban = AdminAttributes()
        ban.ban = .lasting(.seconds(60))
        _ = try await store.accounts.admin.update(user, ban, at: store.clock.now)
        #expect(
            try await told(store)
                == [Revocation(id: user.text, notedAt: store.clock.now, until: store.clock.now + .seconds(60))])
        store.clock.advance(by: .seconds(1))
        ban.ban = .lifted
        _ = try await store.accounts.admin.update(user, ban, at: store.clock.now)
        #expect(try await told(store).map(\.until) == [store.clock.now])
        store.clock.advance(by: .seconds(1))
        #expect(try await store.accounts.delete(user, actor: nil, at: store.clock.now))
        #expect(try await told(store).map(\.id) == [user.text])
        store.clock.advance(by: .seconds(1))
        var again = AdminAttributes()
        (again.id, again.email) = (user, EmailAddress("new@example.com"))
        _ = try await store.accounts.admin.create(again, at: store.clock.now)
        #expect(try await told(store).map(\.until) == [store.clock.now])
    }

    @Test("A change checked before its session ended does not happen afterwards", arguments: TestDatabase.all)
    func overtaken(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, policy: SessionPolicy(timebox: .seconds(60)))
        let issued = try await store.signedIn()
        let (user, session) = (issued.account.user.id, issued.session.id)
        let identity = issued.account.identities[0].id
        func expectRefusals() async throws {
            let (accounts, now) = (store.accounts, store.clock.now)
            let updated = try await accounts.update(user, UserUpdate(), keeping: session, at: now)
            let unlinked = try await accounts.links.unlink(identity, of: user, keeping: session, at: now)
            let undone = try await accounts.links.undoLink(identity, of: user, by: session, at: now)
            let deleted = try await accounts.deleteOwn(
                user, session: session.text, level: .aal1, at: now)
            guard case .sessionEnded = updated, case .sessionEnded = unlinked, case .sessionEnded = undone,
                case .refused = deleted
            else {
                Issue.record("not refused")
                return
            }
        }
        store.clock.advance(by: .seconds(61))
        try await expectRefusals()
        store.clock.advance(by: .seconds(-61))
        try await store.accounts.signOut(user, name: "", session: session, scope: .local, at: store.clock.now)
        try await expectRefusals()
        #expect(try await store.count("users") == 1)
    }

    @Test("Entries are removed when no token can be valid any more", arguments: TestDatabase.all)
    func forgotten(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let begin = store.clock.now
        #expect(try await store.accounts.delete(issued.account.user.id, actor: nil, at: begin))
        store.clock.advance(by: .seconds(604_800))
        _ = try await store.accounts.cleaning.purgeExpired(at: store.clock.now)
        #expect(try await told(store, since: begin).count == 1)
        store.clock.advance(by: .seconds(86_400))
        _ = try await store.accounts.cleaning.purgeExpired(at: store.clock.now)
        #expect(try await told(store, since: begin).isEmpty)
    }
}
