import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Imported accounts that the schema refuses, or that were deleted at the source")
struct RefusedImportTests {
    private static let ada = UserID("5a7e1d5c-0000-4000-8000-000000000001")!
    private static let bob = UserID("5a7e1d5c-0000-4000-8000-000000000002")!
    private static let identity = IdentityID("5a7e1d5c-0000-4000-8000-0000000000aa")!

    private func account(_ id: UserID, _ email: String, identities: [Identity] = []) -> Account {
        var user = User(
            id: id, audience: "authenticated", role: "authenticated",
            times: UserTimes(createdAt: Instant(seconds: 1_800_000_000)))
        user.email = email
        return Account(user: user, identities: identities)
    }

    private func identity(_ id: IdentityID = identity, of user: UserID, _ providerID: String) -> Identity {
        Identity(
            id: id, user: user, provider: "google", providerID: providerID, data: "{}", email: nil,
            at: Instant(seconds: 1_800_000_000))
    }

    private func isRefused(_ outcome: ImportOutcome) -> Bool { if case .refused = outcome { true } else { false } }

    @Test(
        "A row that violates the schema is reported, leaves nothing behind, and does not stop the next one",
        arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let other = IdentityID("5a7e1d5c-0000-4000-8000-0000000000ab")!
        let twice = [identity(of: Self.ada, "1"), identity(other, of: Self.ada, "1")]
        let odd = account(Self.ada, "ada@example.com", identities: twice)
        #expect(isRefused(try await store.accounts.transfers.add(odd, at: store.clock.now)))
        for isDryRun in [true, false] {
            let outcome = try await store.accounts.transfers.add(
                ImportedAccount(odd), isDryRun: isDryRun, at: store.clock.now)
            #expect(isRefused(outcome.account))
        }
        #expect(try await store.count("users") == 0)
        let good = account(Self.ada, "ada@example.com", identities: [twice[0]])
        #expect(try await store.accounts.transfers.add(good, at: store.clock.now) == .added)
        let takenID = account(Self.bob, "bob@example.com", identities: [identity(of: Self.bob, "2")])
        #expect(isRefused(try await store.accounts.transfers.add(takenID, at: store.clock.now)))
        #expect(try await store.count("users") == 1)
    }

    @Test("Of concurrent imports with one address, the first succeeds and the others are reported")
    func atOnce() async throws {
        for kind in TestDatabase.all {
            let store = try await StoreFixture(kind)
            let outcomes = try await withThrowingTaskGroup(of: ImportOutcome.self) { group in
                for number in 10..<30 {
                    let id = try #require(UserID("5a7e1d5c-0000-4000-8000-0000000000\(number)"))
                    group.addTask {
                        try await store.accounts.transfers.add(account(id, "ada@example.com"), at: store.clock.now)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.filter { $0 == .added }.count == 1)
            #expect(outcomes.filter { $0 == .emailTaken }.count == 19)
        }
    }

    @Test("An account deleted at the source is signed out here", arguments: TestDatabase.all)
    func deletedElsewhere(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (ada, bob) = (try await store.signedIn(), try await store.signedIn("bob@example.com"))
        func end(_ id: UserID, isDryRun: Bool) async throws -> Bool {
            try await store.accounts.transfers.endSessions(
                ofDeletedElsewhere: id, isDryRun: isDryRun, at: store.clock.now)
        }
        #expect(try await end(ada.account.user.id, isDryRun: true))
        #expect(try await store.count("sessions") == 2)
        #expect(try await end(ada.account.user.id, isDryRun: false))
        #expect(try await store.refresh(bob.refreshToken).verdict == .rotate)
        guard case .unknown = try await store.refresh(ada.refreshToken) else {
            Issue.record("the session goes on")
            return
        }
        #expect(try await !end(Self.ada, isDryRun: false))
        _ = try await store.accounts.softDelete(ada.account.user.id, at: store.clock.now)
        #expect(try await !end(ada.account.user.id, isDryRun: false))
    }
}
