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
        let texts = [
            nil, "person", "ba", "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60", "6b1c8a2e-3f", "google-1-15", "+49 151 123",
            "0151 12345",
            "Bala Chimi", "ba chi ma", "seeded.invalid", "@seeded",
        ]
        for text in texts {
            var search = AccountSearch()
            search.text = text
            all.append(search)
            search.isOldestFirst = true
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
        "Every page of a search, and the history of an account, take at most nine statements, each by an index",
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
        #expect((1...9).contains(most), "\(most)")
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
            // A table of one row.
            let unbounded = plan.unboundedSteps.filter { !$0.contains("search_filling") }
            #expect(!plan.isEmpty && unbounded == [], "\(statement.text)\n\(plan.joined(separator: "\n"))")
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

    @Test("Names are looked up by the index, and counts read a bounded part of one", arguments: TestDatabase.all)
    func names(_ kind: TestDatabase) async throws {
        let (store, recorded) = (try await LargeTables.of(kind), RecordedStatements())
        let accounts = Self.accounts(of: store, recorded)
        var search = AccountSearch()
        search.text = "ba"
        let first = try await accounts.admin.search(search, after: nil, limit: 2, at: store.clock.now)
        _ = try await accounts.admin.search(search, after: first.next, limit: 2, at: store.clock.now)
        #expect(first.accounts.count == 2 && first.next != nil && !first.isIncomplete)
        let byTerm = recorded.all.filter { $0.text.contains("FROM search_terms") }
        #expect(byTerm.count > 1)
        let total = try await accounts.admin.counts().total
        _ = try await accounts.admin.people(from: store.clock.now - .seconds(86_400), until: store.clock.now)
        #expect(total.number == (kind == .sqlite ? 5_000 : 10_000) && total.precision == .exact)
        for statement in recorded.all {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            let text = plan.joined(separator: "\n")
            #expect(plan.unboundedSteps == [] && !text.contains("SCAN users"), "\(statement.text)\n\(text)")
        }
        for statement in byTerm {
            let plan = try await store.storage.database.write { try $0.plan(statement) }
            #expect(plan.contains { $0.contains("search_terms_by_term") }, "\(plan.joined(separator: "\n"))")
        }
    }

    @Test("The index of terms is kept and filled by indexes", arguments: TestDatabase.all)
    func indexing(_ kind: TestDatabase) async throws {
        let recorded = RecordedStatements()
        let store = try await StoreFixture(kind) { RecordingDatabase(database: $0, recorded: recorded) }
        _ = try await store.signedIn(metadata: ["full_name": "Ada Lovelace"])
        while try await store.accounts.searchIndex.update() > 0 {}
        try await store.storage.database.write { db in
            _ = try db.run("UPDATE users SET user_metadata = '{}'")
        }
        while try await store.accounts.searchIndex.update() > 0 {}
        let large = try await LargeTables.of(kind)
        let statements = recorded.all.filter { $0.text.contains("search_") && !$0.text.hasPrefix("INSERT") }
        #expect(statements.count > 4)
        for statement in statements {
            let plan = try await large.storage.database.write { try $0.plan(statement) }
            #expect(plan.unboundedSteps == [], "\(statement.text)\n\(plan.joined(separator: "\n"))")
        }
    }
}
