import AccountDomain
import AccountStore
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@Suite("What has to agree before a change commits")
struct AgreementTests {
    private struct Waits: Error {}

    @Test("A session that waits for an agreement is not stored, and keeps its ids", arguments: TestDatabase.all)
    func rollback(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let shown = Mutex<[[String]]>([])
        let note: @Sendable (IssuedSession) -> Void = { issued in
            shown.withLock { $0.append([issued.session.id.text, issued.account.user.id.text]) }
        }
        let waiting = store.accounts.agreeing { issued in
            note(issued)
            throw Waits()
        }
        for _ in 0..<2 {
            await #expect(throws: Waits.self) {
                try await waiting.signIns.signUpAnonymously(metadata: [:], from: store.device, at: store.clock.now)
            }
        }
        for table in ["users", "sessions", "audit_log"] { #expect(try await store.count(table) == 0) }
        let token = AgreedToken(claims: [1], expiresAt: 2)
        let agreeing = waiting.agreeing { issued in
            note(issued)
            return token
        }
        let issued = try await agreeing.signIns.signUpAnonymously(
            metadata: [:], from: store.device, at: store.clock.now)
        #expect(issued.agreed?.claims == [1] && issued.agreed?.expiresAt == 2)
        #expect(shown.withLock { Set($0).count == 1 && $0.count == 3 })
        #expect(try await store.count("users") == 1)
        #expect(try await store.signedIn().agreed == nil)
    }

    @Test("A question about an account does not print it", arguments: TestDatabase.all)
    func unprinted(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        var accounts = store.accounts
        accounts.admission = .asks
        let (asking, metadata): (Accounts, AuthJSONObject) = (accounts, ["name": "Augusta"])
        let error = await #expect(throws: AccountNeedsAdmission.self) {
            try await asking.signIns.signUpAnonymously(metadata: metadata, from: store.device, at: store.clock.now)
        }
        let question = try #require(error)
        var dumped = ""
        dump(question, to: &dumped)
        for text in ["\(question)", String(reflecting: question), dumped] { #expect(!text.contains("Augusta")) }
    }
}
