import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Signing everyone out")
struct SignOutAllTests {
    @Test(
        "Every session ends, in batches, with pending codes and tickets; signing in again works",
        arguments: TestDatabase.all)
    func all(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let tokens = try await [
            store.signedIn("a@example.com"), store.signedIn("b@example.com"), store.signedIn("c@example.com"),
        ].map(\.refreshToken)
        let key = try #require(ProofKey(challenge: String(repeating: "c", count: 43), method: "s256"))
        let waiting = try await store.come(store.identity(), delivery: .code(key, handing: nil))
        let code = try #require(waiting.session?.code)
        #expect(try await store.accounts.endSomeSessions(limit: 2, at: store.clock.now) == 2)
        #expect(try await store.accounts.endSomeSessions(limit: 2, at: store.clock.now) == 1)
        #expect(try await store.accounts.endSomeSessions(limit: 2, at: store.clock.now) == 0)
        for token in tokens {
            guard case .unknown = try await store.refresh(token) else {
                Issue.record("a session lives on")
                continue
            }
        }
        let redeemed = try await store.accounts.redeem(
            code: code, verifier: Secret(String(repeating: "v", count: 43)), from: store.device, at: store.clock.now)
        guard case .unknown = redeemed else {
            Issue.record("a code was good")
            return
        }
        #expect(try await store.come(store.identity()).session != nil)
    }
}
