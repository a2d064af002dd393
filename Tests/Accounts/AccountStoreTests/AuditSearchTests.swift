import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("A search of the audit log")
struct AuditSearchTests {
    /// Entry `n` is by `a n` or `B n`, alternating, a second after the one before; two share each third second.
    private func fill(_ store: StoreFixture, _ count: Int) async throws {
        for number in 0..<count {
            let name = "\(number.isMultiple(of: 2) ? "a" : "B") \(number)"
            let action = number.isMultiple(of: 5) ? "user_modified" : "user_deleted"
            let (id, now) = ("00000000-0000-4000-8000-0000000000\(10 + number)", store.clock.now)
            _ = try await store.storage.database.write { db in
                try db.run(
                    """
                    INSERT INTO audit_log (id, action, log_type, actor_name, traits, created_at)
                    VALUES (\(id), \(action), 'user', \(name), '{}', \(SQLValue.instant(now.microseconds)))
                    """)
            }
            if !number.isMultiple(of: 3) { store.clock.advance(by: .seconds(1)) }
        }
    }

    /// All pages.
    private func names(_ search: AuditSearch, _ store: StoreFixture, limit: Int, scan: Int) async throws -> [String] {
        var (found, next, pages): ([String], String?, Int) = ([], nil, 0)
        repeat {
            let page = try await store.accounts.admin.searchAudit(search, after: next, limit: limit, scan: scan)
            #expect(page.entries.count <= limit)
            found += page.entries.map(\.actorName)
            (next, pages) = (page.next, pages + 1)
        } while next != nil && pages < 100
        #expect(next == nil)
        return found
    }

    @Test(
        "Pages of every size have each entry once, newest first", arguments: [(1, 1), (2, 3), (7, 5), (100, 40)],
        TestDatabase.all)
    func pages(_ size: (limit: Int, scan: Int), _ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        try await fill(store, 20)
        let all = try await names(AuditSearch(), store, limit: size.limit, scan: size.scan)
        #expect(all.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } } == (0..<20).reversed())
        var odd = AuditSearch()
        odd.actor = "b "
        #expect(try await names(odd, store, limit: size.limit, scan: size.scan).count == 10)
    }

    @Test("Action and times select exactly, and a percent sign is no wildcard", arguments: TestDatabase.all)
    func conditions(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let start = store.clock.now
        try await fill(store, 10)
        var search = AuditSearch()
        search.action = "user_modified"
        #expect(try await names(search, store, limit: 50, scan: 5_000) == ["B 5", "a 0"])
        search.action = "user_mod%"
        #expect(try await names(search, store, limit: 50, scan: 5_000).isEmpty)
        search = AuditSearch()
        search.actor = "%"
        #expect(try await names(search, store, limit: 50, scan: 5_000).isEmpty)
        search = AuditSearch()
        (search.since, search.until) = (start + .seconds(1), start + .seconds(2))
        #expect(try await names(search, store, limit: 50, scan: 5_000) == ["a 2"])
    }

    @Test("A changed cursor is refused")
    func cursor() async throws {
        let store = try await StoreFixture(.sqlite)
        await #expect(throws: MalformedCursor.self) {
            _ = try await store.accounts.admin.searchAudit(AuditSearch(), after: "abc", limit: 1)
        }
    }
}
