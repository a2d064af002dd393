import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Outbox")
struct OutboxTests {
    private static let grant = ProviderGrant(refreshToken: Secret("apple-refresh"), client: "org.example.app")

    private func deleted(_ kind: TestDatabase) async throws -> StoreFixture {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity("apple"), grant: Self.grant).user
        #expect(try await store.accounts.delete(user, actor: user, at: store.clock.now))
        return store
    }

    private func take(_ store: StoreFixture) async throws -> [OutboxItem] {
        try await store.accounts.providerCalls.takeFromOutbox(at: store.clock.now)
    }

    @Test("D2: Deleting an account queues the revocation of its provider token", arguments: TestDatabase.all)
    func hard(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        #expect(try await store.rows("SELECT 1 FROM provider_tokens") == 0)
        let item = try #require(try await take(store).first)
        guard case .revokeToken(let provider, let client, let token) = item.message else { return }
        #expect(provider == "apple")
        #expect(client == "org.example.app")
        #expect(token.reveal() == "apple-refresh")
        #expect(item.attempt == 1)
        store.tick()
        try await store.accounts.providerCalls.report(.done, of: item, at: store.clock.now)
        #expect(try await store.accounts.providerCalls.outboxBacklog().count == 0)
        #expect(try await store.log(1) == ["provider_token_revoked -"])
    }

    @Test("D2: A soft deletion queues it too, and keeps no token, ticket or undo", arguments: TestDatabase.all)
    func soft(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity("apple"), grant: Self.grant).user
        _ = try await store.entered(
            store.identity("google"), grant: ProviderGrant(refreshToken: Secret("g"), client: "web"))
        #expect(try await store.accounts.softDelete(user, at: store.clock.now))
        #expect(try await take(store).count == 2)
        #expect(
            try await store.rows("SELECT identity_id FROM provider_tokens UNION ALL SELECT identity_id FROM link_undos")
                == 0)
        // The person returns as a new user.
        #expect(try await store.entered(store.identity("apple")).user != user)
    }

    @Test(
        "One node leases an item at a time; an unreported item returns after its lease",
        arguments: TestDatabase.all)
    func lease(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        let first = try #require(try await take(store).first)
        #expect(try await take(store).isEmpty)
        store.clock.advance(by: OutboxSchedule.lease)
        let second = try #require(try await take(store).first)
        #expect(second.attempt == 2)
        // The first node wakes up without the item.
        try await store.accounts.providerCalls.report(.done, of: first, at: store.clock.now)
        #expect(try await store.accounts.providerCalls.outboxBacklog().count == 1)
        try await store.accounts.providerCalls.report(.failed, of: second, at: store.clock.now)
        store.clock.advance(by: .seconds(119))
        #expect(try await take(store).isEmpty)
        store.clock.advance(by: .seconds(1))
        #expect(try await take(store).first?.attempt == 3)
    }

    @Test("An item that a clock put off by a year is due again with the next clean-up", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        let year = Duration.seconds(365 * 86_400)
        store.clock.advance(by: year)
        let item = try #require(try await take(store).first)
        try await store.accounts.providerCalls.report(.failed, of: item, at: store.clock.now)
        store.clock.advance(by: .zero - year)
        #expect(try await take(store).isEmpty)
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 1)
        #expect(try await take(store).map(\.attempt) == [2])
        #expect(try await store.accounts.cleaning.purgeExpired(at: store.clock.now) == 0)
    }

    @Test("Among concurrent nodes, one gets each item", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await take(store).count } }
            return try await group.reduce(0, +)
        }
        #expect(taken == 1)
    }

    @Test("Retries end with an entry in the log; a hopeless item ends at once", arguments: TestDatabase.all)
    func givesUp(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        var tries = 0
        while let item = try await take(store).first {
            tries += 1
            try await store.accounts.providerCalls.report(.failed, of: item, at: store.clock.now)
            store.clock.advance(by: .seconds(21_600))
        }
        #expect(tries == OutboxSchedule.maximumAttempts)
        #expect(try await store.log(1) == ["provider_token_not_revoked -"])
        let other = try await deleted(kind)
        let item = try #require(try await take(other).first)
        try await other.accounts.providerCalls.report(.hopeless, of: item, at: other.clock.now)
        #expect(try await other.accounts.providerCalls.outboxBacklog().count == 0)
    }

    @Test(
        "A token sealed with a removed secret does not prevent a deletion",
        arguments: TestDatabase.all)
    func lostSecret(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let user = try await store.entered(store.identity("apple"), grant: Self.grant).user
        let randomness = TestRandomness()
        let later = Accounts(
            database: store.storage.database, secrets: ServerSecrets([(2, Array(repeating: 9, count: 32))])!,
            randomBytes: { randomness.bytes($0) })
        #expect(try await later.delete(user, actor: user, at: store.clock.now))
        #expect(try await later.providerCalls.takeFromOutbox(at: store.clock.now).isEmpty)
        #expect(try await later.providerCalls.outboxBacklog().count == 1)
        store.clock.advance(by: .seconds(3_600))
        #expect(try await take(store).count == 1)
    }

    @Test("Items of another program stay untouched", arguments: TestDatabase.all)
    func unknownKind(_ kind: TestDatabase) async throws {
        let store = try await deleted(kind)
        _ = try await store.storage.database.write { db in try db.run("UPDATE outbox SET kind = 'later'") }
        #expect(try await take(store).isEmpty)
        #expect(try await store.accounts.providerCalls.outboxBacklog().count == 1)
        #expect(try await store.accounts.providerCalls.outboxBacklog().oldest == store.clock.now)
    }
}
