import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Filters of administrators' lists")
struct ListFilterTests {
    /// For an account called "Émile Ångström".
    static let filters = [
        ("Émile", true), ("ÉMILE", true), ("éMILE", false), ("ngSTR", true), ("NGSTRÖM", false), ("Å", true),
        ("å", false), ("E_", false), ("%", false),
    ]

    @Test("A filter ignores the case of ASCII letters and of no others", arguments: TestDatabase.all)
    func letters(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        _ = try await store.signedIn(metadata: ["full_name": "Émile Ångström"])
        try await store.storage.database.write { db in
            _ = try db.run("UPDATE audit_log SET actor_name = 'Émile Ångström'")
        }
        let page = PageRequest(number: 1, size: 10)
        for (text, isFound) in Self.filters {
            let listed = try await store.accounts.admin.list(filter: text, ascending: true, page: page)
            #expect((listed.total == 1, listed.elements.count == 1) == (isFound, isFound), "list: \(text)")
            let log = try await store.accounts.auditLog(.author(text), page: page)
            #expect((log.total > 0, !log.elements.isEmpty) == (isFound, isFound), "audit log: \(text)")
        }
    }
}
