import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

// Searches.
extension LargeTablePlanTests {
    private static let searches: [AccountSearch] = {
        var all: [AccountSearch] = []
        let time = Instant(seconds: 1_700_000_000)
        for text in [nil, "person", "ba", "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"] {
            var search = AccountSearch()
            search.text = text
            all.append(search)
            search.method = "google"
            all.append(search)
            (search.seenAfter, search.seenBefore) = (time, time)
            for state in AccountSearch.State.allCases {
                search.state = state
                all.append(search)
            }
        }
        return all
    }()

    @Test(
        "Every page of a search, and the history of an account, take at most five statements, each by an index",
        arguments: TestDatabase.all)
    func plans(_ kind: TestDatabase) async throws {
        let (store, recorded) = (try await LargeTables.of(kind), RecordedStatements())
        let accounts = Self.accounts(of: store, recorded)
        var most = 0
        for search in Self.searches {
            var next: String?
            for _ in 0..<2 {
                let count = try await recorded.count.during {
                    next = try await accounts.admin.search(search, after: next, limit: 50, at: store.clock.now).next
                }
                most = max(most, count)
                if next == nil { break }
            }
        }
        #expect((1...5).contains(most), "\(most)")
        let history = try await recorded.count.during {
            _ = try await accounts.admin.history(of: UserID(bytes: Array(repeating: 1, count: 16)), limit: 50)
        }
        #expect(history == 2)
        #expect(recorded.all.count > 20)
        for statement in recorded.all {
            let plan = try await store.storage.database.write { db in
                if store.storage.database.dialect == .postgresql { try db.run("SET LOCAL enable_seqscan = on") }
                return try db.plan(statement)
            }
            #expect(!plan.isEmpty && plan.unboundedSteps == [], "\(statement.text)\n\(plan.joined(separator: "\n"))")
        }
    }

    @Test("Each rare state is read from its own index", arguments: TestDatabase.all)
    func states(_ kind: TestDatabase) async throws {
        let indexes: [(AccountSearch.State, String)] = [
            (.unconfirmed, "users_unconfirmed"), (.banned, "users_banned"), (.anonymous, "users_anonymous"),
            (.deleted, "users_deleted"),
        ]
        let store = try await LargeTables.of(kind)
        for (state, index) in indexes {
            let recorded = RecordedStatements()
            let accounts = Self.accounts(of: store, recorded)
            var search = AccountSearch()
            search.state = state
            #expect(try await accounts.admin.search(search, after: nil, limit: 50, at: store.clock.now).next == nil)
            #expect(recorded.all.count == 2)
            for statement in recorded.all {
                let plan = try await store.storage.database.read { try $0.plan(statement) }
                #expect(plan.contains { $0.contains(index) }, "\(plan.joined(separator: "\n"))")
            }
        }
    }

    private static func accounts(of store: StoreFixture, _ recorded: RecordedStatements) -> Accounts {
        Accounts(
            database: RecordingDatabase(database: store.storage.database, recorded: recorded),
            secrets: StoreFixture.secrets, randomBytes: { Array(repeating: 1, count: $0) })
    }

    @Test("A name is looked up by the index also after a page", arguments: TestDatabase.all)
    func names(_ kind: TestDatabase) async throws {
        let (store, recorded) = (try await LargeTables.of(kind), RecordedStatements())
        let accounts = Self.accounts(of: store, recorded)
        var search = AccountSearch()
        search.text = "ba"
        let first = try await accounts.admin.search(search, after: nil, limit: 2, at: store.clock.now)
        _ = try await accounts.admin.search(search, after: first.next, limit: 2, at: store.clock.now)
        let statements = recorded.all.filter { $0.text.contains("FROM (SELECT") && $0.text.contains("full_name") }
        let byName = statements.filter { $0.text.contains("lower(") }
        #expect(!byName.isEmpty)
        for statement in byName {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            let text = plan.joined(separator: "\n")
            #expect(text.contains("users_by_name") && !text.contains("SCAN users"), "\(text)")
        }
    }
}
