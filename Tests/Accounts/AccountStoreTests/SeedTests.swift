import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import Seeding
import TestDatabases
import Testing

@Suite("Seeded accounts")
struct SeedTests {
    private func people(_ store: StoreFixture, seed: UInt64 = 1) -> SeededPeople {
        SeededPeople(store.accounts, seed: seed, passwordHash: Secret("$hash$"), at: store.clock.now)
    }

    private func everything(_ store: StoreFixture) async throws -> [String] {
        let accounts = try await store.accounts.transfers.accounts(after: nil, limit: 100)
        let profiles = try await store.accounts.transfers.profileRows(after: nil, limit: 100).map(\.text)
        let sessions = try await store.storage.database.read { db in
            try db.rows("SELECT id, user_id, refresh_token_counter, user_agent FROM sessions ORDER BY id") {
                "\($0.text()) \($0.text()) \($0.int()) \($0.text())"
            }
        }
        let texts = accounts.map { account in
            let identities = account.identities.map { "\($0.id.text) \($0.provider) \($0.providerID) \($0.data)" }
            return "\(account.user.id.text) \(account.user.email ?? "-") \(account.user.userMetadata) \(identities)"
        }
        return texts + profiles + sessions
    }

    @Test("The same seed creates the same accounts, another one others", arguments: TestDatabase.all)
    func same(_ kind: TestDatabase) async throws {
        let (one, two, other) = try await (StoreFixture(kind), StoreFixture(.sqlite), StoreFixture(.sqlite))
        for store in [one, two] { _ = try await store.accounts.seeds.add(people(store), 0..<40) }
        #expect(try await other.accounts.seeds.add(people(other, seed: 2), 0..<40) == 40)
        let rows = try await everything(one)
        #expect(rows.count == 40 + 40 + 50)
        let (again, others) = try await (everything(two), everything(other))
        #expect(rows == again)
        #expect(Set(rows).isDisjoint(with: others))
    }

    @Test("They are as the product would have created them", arguments: TestDatabase.all)
    func plausible(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.accounts.seeds.add(people(store), 0..<20)
        let accounts = try await store.accounts.transfers.accounts(after: nil, limit: 100)
        #expect(accounts.count { $0.identities.map(\.provider) == ["email"] && $0.hasPasswordSignIn } == 14)
        #expect(accounts.count { $0.identities.map(\.provider) == ["google"] && $0.user.passwordHash == nil } == 4)
        #expect(accounts.count { $0.user.times.emailProvenAt != nil } == 6)
        #expect(try await store.rows("SELECT 1 FROM profiles WHERE first_name IS NOT NULL") == 14)
        #expect(try await store.rows("SELECT 1 FROM profiles WHERE avatar_url LIKE 'https://%'") == 4)
        #expect(try await store.count("sessions") == 25)
        #expect(try await store.rows("SELECT 1 FROM sessions WHERE identity_id IS NOT NULL") == 8)
        #expect(try await store.count("audit") == 20 + 25)
        #expect(accounts.allSatisfy { $0.user.times.createdAt < store.clock.now })
    }

    @Test("An interrupted run continues where rows are missing", arguments: TestDatabase.all)
    func resumed(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        #expect(try await store.accounts.seeds.add(people(store), 0..<20) == 20)
        #expect(try await store.accounts.seeds.add(people(store), 0..<20) == 0)
        let whole = try await everything(store)
        let somebody = try #require(
            try await store.accounts.signIns.account(email: EmailAddress("person-3.1@seeded.invalid")!))
        _ = try await store.accounts.delete(somebody.user.id, actor: nil, at: store.clock.now)
        // Their sign-up is still in the log.
        _ = try await store.storage.database.write { db in
            try db.run("DELETE FROM audit_log WHERE actor_id = \(somebody.user.id.text)")
        }
        #expect(try await store.accounts.seeds.add(people(store), 0..<30) == 11)
        #expect(try await store.accounts.seeds.add(people(store), 20..<30) == 0)
        let again = try await everything(store)
        #expect(Set(again).isSuperset(of: whole) && again.count > whole.count)
    }

    @Test("Real accounts are detected, and stay when the seeded ones are removed", arguments: TestDatabase.all)
    func unseeded(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.accounts.seeds.add(people(store), 0..<60)
        #expect(try await store.accounts.seeds.countSeeded(stopsAtOther: true) == (60, false))
        _ = try await store.signedIn("ada@example.com")
        _ = try await store.signedIn("ada@seeded.invalid.example.com")
        // A real user may have such an address.
        _ = try await store.signedIn("ada@seeded.invalid")
        _ = try await store.signedIn("person-7.2@seeded.invalid")
        #expect(try await store.accounts.seeds.countSeeded(stopsAtOther: false) == (60, true))
        var (last, removed): (String?, Int) = (nil, 0)
        repeat {
            let part = try await store.accounts.seeds.removeSeeded(after: last)
            (last, removed) = (part.last, removed + part.removed)
        } while last != nil
        repeat { last = try await store.accounts.seeds.removeSeededLog(after: last).last } while last != nil
        #expect(removed == 60)
        for table in ["users", "identities", "sessions", "profiles"] { #expect(try await store.count(table) == 4) }
        #expect(try await store.count("audit") == 8)
    }

    @Test("Tokens are current, of different sessions, and only of seeded accounts", arguments: TestDatabase.all)
    func tokens(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        #expect(try await store.accounts.seeds.seededTokens(5).isEmpty)
        _ = try await store.signedIn()
        _ = try await store.signedIn("person-7.2@seeded.invalid")
        _ = try await store.accounts.seeds.add(people(store), 0..<40)
        let tokens = try await store.accounts.seeds.seededTokens(20)
        #expect(Set(tokens.map { $0.reveal() }).count == 20)
        for token in tokens {
            let outcome = try await store.refresh(token)
            #expect(outcome.verdict == .rotate)
            #expect(outcome.issued?.account.user.email?.hasSuffix("@seeded.invalid") == true)
        }
        #expect(try await store.accounts.seeds.seededTokens(1_000).count == 50)
    }

    @Test("Tokens of later generations match those of a refresh", arguments: TestDatabase.all)
    func generations(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.accounts.seeds.add(people(store), 0..<40)
        let current = try await store.accounts.seeds.seededTokens(50).map { $0.reveal() }
        let all = try await store.accounts.seeds.seededTokens(50, generations: 3).map { $0.reveal() }
        #expect(Array(all.prefix(50)) == current)
        #expect(all.count == 150)
        for (token, successor) in zip(all, all.dropFirst(50)) {
            let outcome = try await store.refresh(Secret(token))
            #expect(outcome.verdict == .rotate)
            #expect(outcome.issued?.refreshToken.reveal() == successor)
        }
    }

    @Test("D7: A seeded provider identity is recognized, and linked with another that verifies the address")
    func linked() async throws {
        let store = try await StoreFixture(.sqlite)
        _ = try await store.accounts.seeds.add(people(store), 0..<20)
        let address = "person-14.1@seeded.invalid"
        let known = try await store.come(store.identity("google", "google-1-14", email: address))
        #expect(known.rule == .knownIdentity)
        let linked = try await store.come(store.identity("apple", "new", email: address))
        #expect(linked.rule == .provenByBoth)
        #expect(linked.session?.user == known.session?.user)
    }
}
