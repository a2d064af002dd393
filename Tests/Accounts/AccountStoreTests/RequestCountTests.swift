import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Counts shared by nodes")
struct RequestCountTests {
    private let start = Instant(seconds: 1_000)
    private let rate = RequestCounts.Rate(count: 60, window: .seconds(60), burst: 3)!

    @Test("A burst is allowed, then the refill of the interval, for each caller", arguments: TestDatabase.all)
    func burst(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        func take(_ key: String, after seconds: Int = 0) async throws -> Duration? {
            try await counts.take("b", key: key, rate, at: start + .seconds(seconds))
        }
        for _ in 0..<3 { #expect(try await take("a") == nil) }
        #expect(try await take("a") == .seconds(1))
        #expect(try await take("b") == nil)
        #expect(try await take("a", after: 1) == nil)
        #expect(try await take("a", after: 1) == .seconds(1))
        #expect(try await take("a", after: 100) == nil)
    }

    @Test("A look counts nothing, a failure counts at once, a success clears", arguments: TestDatabase.all)
    func failures(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        let account = RequestCounts.Counted("account", key: "a", rate)
        let caller = RequestCounts.Counted("caller", key: "a", rate)
        #expect(try await counts.fullTimes(of: [account, caller], at: start) == [nil, nil])
        try await counts.add([account, caller], at: start)
        try await counts.add([account], at: start)
        let counted = try await counts.fullTimes(of: [account, caller], at: start)
        #expect(counted == [start + .seconds(2), start + .seconds(1)])
        // Counts of past attempts stop at the full count.
        for _ in 0..<5 { try await counts.add([account], at: start) }
        #expect(try await counts.fullTimes(of: [account], at: start) == [start + .seconds(3)])
        #expect(try await counts.take("account", key: "a", rate, at: start) == .seconds(1))
        try await counts.forget([account, caller])
        #expect(try await counts.fullTimes(of: [account, caller], at: start) == [nil, nil])
        for _ in 0..<3 { #expect(try await counts.take("account", key: "a", rate, at: start) == nil) }
        #expect(RequestCounts.Rate(count: 0, window: .seconds(1), burst: 1) == nil)
    }

    @Test("Counts of a clock that was a year ahead leave one attempt, then the refill", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        let ahead = start + .seconds(365 * 86_400)
        #expect(try await counts.take("b", key: "a", rate, at: ahead) == nil)
        for second in 0..<2 {
            let now = start + .seconds(second)
            #expect(try await counts.take("b", key: "a", rate, at: now) == nil)
            #expect(try await counts.take("b", key: "a", rate, at: now) == .seconds(1))
        }
        let failures = RequestCounts.Counted("f", key: "a", rate)
        try await counts.add([failures], at: ahead)
        for second in 0..<2 {
            #expect(try await counts.fullTimes(of: [failures], at: start + .seconds(second)) == [start + .seconds(2)])
        }
    }

    @Test("The clock of a node that is half a minute ahead gives nobody more attempts", arguments: TestDatabase.all)
    func halfMinute(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        for _ in 0..<3 { #expect(try await counts.take("b", key: "a", rate, at: start + .seconds(30)) == nil) }
        #expect(try await counts.take("b", key: "a", rate, at: start) == .seconds(1))
        #expect(try await counts.take("b", key: "a", rate, at: start + .seconds(30)) == .seconds(1))
    }

    @Test("Of forty concurrent attempts on two nodes exactly the burst is allowed", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let nodes = [RequestCounts(database: storage.database), RequestCounts(database: storage.database)]
        let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await nodes[number % 2].take("b", key: "a", rate, at: start) == nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(allowed == 3)
    }

    @Test("The table has no plain address, and expired rows are removed", arguments: TestDatabase.all)
    func table(_ kind: TestDatabase) async throws {
        let storage = try await kind.open(isNew: true)
        let counts = RequestCounts(database: storage.database)
        for number in 0..<5 {
            _ = try await counts.take("b", key: "ada\(number)@example.com", rate, at: start)
        }
        let kept = try await storage.database.read { db in
            try db.rows("SELECT digest FROM request_counts") { String(decoding: $0.bytes(), as: UTF8.self) }
        }
        #expect(kept.count == 5)
        #expect(!kept.contains { $0.contains("ada") })
        _ = try await counts.take("b", key: "later", rate, at: start + .seconds(1_000))
        let left = try await storage.database.read { db in
            try db.row("SELECT count(*) FROM request_counts") { $0.int() }
        }
        #expect(left == 1)
        let plan = try await storage.database.read { db in
            try db.plan(RequestCounts.lookup(["a", "b", "c"].map { .init("b", key: $0, rate) }))
        }
        #expect(plan.scans == [])
    }
}
