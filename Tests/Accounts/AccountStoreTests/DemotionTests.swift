import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

@Suite("Administrators' roles")
struct DemotionTests {
    private func administrator(_ email: String, _ role: String, _ store: StoreFixture) async throws -> UserID {
        let id = try await store.signedIn(email).account.user.id
        var attributes = AdminAttributes()
        attributes.role = role
        guard case .done = try await store.accounts.admin.update(id, attributes, at: store.clock.now) else {
            throw NotSignedIn()
        }
        return id
    }

    @Test("An administrator is demoted only while another one remains who is not banned", arguments: TestDatabase.all)
    func demotion(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let (admin, roles, now) = (store.accounts.admin, ["root", "operator"], store.clock.now)
        func demote(_ id: UserID, keeping keeper: UserID) async throws -> Bool {
            try await admin.demote(id, to: "authenticated", keeping: keeper, roles: roles, at: now)
        }
        let ada = try await administrator("ada@example.com", "operator", store)
        let bob = try await administrator("bob@example.com", "root", store)
        let eve = try await store.signedIn("eve@example.com").account.user.id
        #expect(Set(try await admin.administrators(roles: roles).map(\.id)) == [ada, bob])
        #expect(try await !demote(ada, keeping: ada))
        #expect(try await !demote(ada, keeping: eve))
        #expect(try await !demote(eve, keeping: ada))
        var ban = AdminAttributes()
        ban.ban = .lasting(.seconds(60))
        _ = try await admin.update(bob, ban, at: now)
        #expect(try await !demote(ada, keeping: bob))
        #expect(try await demote(bob, keeping: ada))
        #expect(try await !demote(bob, keeping: ada))
        #expect(try await admin.administrators(roles: roles).map(\.id) == [ada])
        #expect(try await admin.account(bob)?.user.role == "authenticated")
        #expect(try await admin.account(bob)?.user.email == "bob@example.com")
    }
}
