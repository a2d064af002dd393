import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("The database cost of strangers", .timeLimit(.minutes(5)))
struct StrangerTests {
    @Test("A forged state costs no write", arguments: TestDatabase.all)
    func madeUp(_ kind: TestDatabase) async throws {
        let writes = Counter()
        let store = try await StoreFixture(kind) { CountingDatabase(database: $0, writes: writes) }
        let (accounts, now) = (store.accounts, store.clock.now)
        let madeUp = "6f9b2f0e-0000-4000-8000-000000000000"
        guard case .unknown = try await accounts.flows.take(state: madeUp, browser: nil, at: now) else {
            Issue.record("accepted")
            return
        }
        #expect(writes.value == 0)
    }

    @Test("An expired or used flow, and one of another browser, cost no write either")
    func notGood() async throws {
        let writes = Counter()
        let store = try await StoreFixture(.sqlite) { CountingDatabase(database: $0, writes: writes) }
        let (accounts, now) = (store.accounts, store.clock.now)
        let flow = ProviderFlow(
            provider: "google", purpose: .signIn, verifier: Secret("v"), nonce: "n", proofKey: nil, redirectTo: "a:")
        let state = try await accounts.flows.begin(flow, browser: Secret("cookie"), at: now)
        #expect(writes.value == 1)
        guard case .otherBrowser = try await accounts.flows.take(state: state, browser: Secret("?"), at: now),
            case .unknown = try await accounts.flows.take(
                state: state, browser: Secret("cookie"), at: now + ProviderFlow.lifetime)
        else {
            Issue.record("accepted")
            return
        }
        #expect(writes.value == 1)
        guard case .taken = try await accounts.flows.take(state: state, browser: Secret("cookie"), at: now) else {
            Issue.record("not accepted")
            return
        }
        #expect(writes.value == 2)
        guard case .unknown = try await accounts.flows.take(state: state, browser: Secret("cookie"), at: now) else {
            Issue.record("accepted twice")
            return
        }
        #expect(writes.value == 2)
    }

    @Test(
        "Passing cleanup does not wait for another node's cleanup",
        .enabled("needs PostgreSQL") { TestDatabase.all.contains(.postgres) })
    func cleanUp() async throws {
        let store = try await StoreFixture(.postgres)
        let flow = ProviderFlow(
            provider: "google", purpose: .signIn, verifier: Secret("v"), nonce: "n", proofKey: nil, redirectTo: "a:")
        for _ in 0..<3 { _ = try await store.accounts.flows.begin(flow, browser: nil, at: store.clock.now) }
        store.clock.advance(by: .seconds(86_400))
        let now = SQLValue.instant(store.clock.now.microseconds)
        let held = HeldWrite(store.storage.database) { db in
            try db.run("DELETE FROM flow_states WHERE expires_at <= \(now)")
        }
        await held.hasBegun()
        _ = try await store.accounts.flows.begin(flow, browser: nil, at: store.clock.now)
        try await held.finish()
        #expect(try await store.rows("SELECT 1 FROM flow_states") == 1)
    }

    @Test("The log entry of a soft deletion names the id, not the address", arguments: TestDatabase.all)
    func softDeletion(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let id = try await store.signedIn().account.user.id
        #expect(try await store.accounts.softDelete(id, at: store.clock.now + .seconds(1)))
        let entry = try #require(
            try await store.accounts.auditLog(nil, page: PageRequest(number: 1, size: 1)).elements.first)
        #expect(entry.action == "user_deleted")
        #expect(entry.actorName == "service_role")
        let traits = try JSONReader.read(entry.traits)
        #expect(traits == ["user_id": .string(id.text)])
    }

    @Test("The administrators' list reads no identities", arguments: TestDatabase.all)
    func list(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn()
        let page = try await store.accounts.admin.list(
            filter: nil, ascending: true, page: PageRequest(number: 1, size: 1_000))
        #expect(page.elements.map(\.user.email) == ["ada@example.com"])
        #expect(page.elements.flatMap(\.identities).isEmpty)
    }
}
