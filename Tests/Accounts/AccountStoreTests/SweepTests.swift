import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import Seeding
import TestDatabases
import Testing

@Suite("Ended sessions")
struct SweepTests {
    private static let day: Duration = .seconds(86_400)

    @Test(
        "They are removed 30 days after their end, wherever the search begins; used ones stay",
        arguments: TestDatabase.all)
    func sweep(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for number in 0..<20 { _ = try await store.signedIn("left\(number)@example.com") }
        let kept = try await store.signedIn("kept@example.com")
        store.clock.advance(by: Self.day * 29)
        let next = try #require(try await store.refresh(kept.refreshToken).issued)
        store.clock.advance(by: Self.day * 31)
        #expect(try await store.accounts.cleaning.removeEndedSessions(at: store.clock.now) == 0)
        store.clock.advance(by: .microseconds(1))
        #expect(try await store.accounts.cleaning.removeEndedSessions(at: store.clock.now) == 20)
        #expect(try await store.count("sessions") == 1)
        guard case .expired = try await store.refresh(next.refreshToken) else {
            Issue.record("goes on")
            return
        }
    }

    @Test("A timebox removes them too, and without either limit none is removed", arguments: TestDatabase.all)
    func policies(_ kind: TestDatabase) async throws {
        for (policy, removed) in [
            (SessionPolicy(timebox: Self.day, inactivity: nil), 1), (SessionPolicy(timebox: nil, inactivity: nil), 0),
        ] {
            let store = try await StoreFixture(kind, policy: policy)
            let first = try await store.signedIn()
            store.clock.advance(by: Self.day)
            _ = try await store.refresh(first.refreshToken)
            store.clock.advance(by: Self.day * 31)
            #expect(try await store.accounts.cleaning.removeEndedSessions(at: store.clock.now) == removed)
            #expect(try await store.count("sessions") == 1 - removed)
        }
    }

    @Test("Each run looks at the given number, and runs together reach more than a page", arguments: TestDatabase.all)
    func parts(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let people = SeededPeople(store.accounts, seed: 1, passwordHash: Secret("$hash$"), at: store.clock.now)
        for start in stride(from: 0, to: 2_000, by: SeedStore.seedBatch) {
            _ = try await store.accounts.seeds.add(people, start..<(start + SeedStore.seedBatch))
        }
        let all = try await store.count("sessions")
        let later = store.clock.now + Self.day * 1_000
        let first = try await store.accounts.cleaning.removeEndedSessions(lookingAt: 1, at: later)
        #expect((1...500).contains(first))
        #expect(try await store.count("sessions") == all - first)
        #expect(try await store.accounts.cleaning.removeEndedSessions(at: later) == all - first)
    }
}
