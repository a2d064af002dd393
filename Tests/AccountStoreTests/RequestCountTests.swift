import AccountStore
import GatehouseWire
import SQLDatabase
import TestSupport
import Testing

@Suite("Counts that nodes share")
struct RequestCountTests {
    private let start = Instant(seconds: 1_000)
    private let rate = RequestCounts.Rate(count: 60, window: .seconds(60), burst: 3)!

    @Test("A burst is allowed, then what the interval gives, each caller by themselves", arguments: TestDatabase.all)
    func burst(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        func take(_ key: String, after seconds: Int = 0) async throws -> Duration? {
            try await counts.take("b", key: key, rate, takes: true, at: start + .seconds(seconds))
        }
        for _ in 0..<3 { #expect(try await take("a") == nil) }
        #expect(try await take("a") == .seconds(1))
        #expect(try await take("b") == nil)
        #expect(try await take("a", after: 1) == nil)
        #expect(try await take("a", after: 1) == .seconds(1))
        #expect(try await take("a", after: 100) == nil)
    }

    @Test("Looking takes nothing, a try can be put back, and a success forgets them all", arguments: TestDatabase.all)
    func giveBack(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let counts = RequestCounts(database: storage.database)
        for _ in 0..<5 { #expect(try await counts.take("b", key: "a", rate, takes: false, at: start) == nil) }
        for _ in 0..<3 { #expect(try await counts.take("b", key: "a", rate, takes: true, at: start) == nil) }
        #expect(try await counts.take("b", key: "a", rate, takes: false, at: start) == .seconds(1))
        try await counts.giveBack("b", key: "a", rate)
        #expect(try await counts.take("b", key: "a", rate, takes: true, at: start) == nil)
        #expect(try await counts.take("b", key: "a", rate, takes: true, at: start) == .seconds(1))
        try await counts.reset("b", key: "a")
        try await counts.giveBack("b", key: "a", rate)
        for _ in 0..<3 { #expect(try await counts.take("b", key: "a", rate, takes: true, at: start) == nil) }
        #expect(RequestCounts.Rate(count: 0, window: .seconds(1), burst: 1) == nil)
    }

    @Test("What a clock that was ahead has counted keeps nobody out for longer", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let counts = RequestCounts(database: try await kind.open().database)
        let tomorrow = start + .seconds(86_400)
        #expect(try await counts.take("b", key: "a", rate, takes: true, at: tomorrow) == nil)
        #expect(try await counts.take("b", key: "a", rate, takes: true, at: start) == .seconds(1))
        #expect(try await counts.take("b", key: "a", rate, takes: true, at: start + .seconds(1)) == .seconds(1))
    }

    @Test("Of forty tries at once on two nodes exactly the burst is allowed", arguments: TestDatabase.all)
    func race(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let nodes = [RequestCounts(database: storage.database), RequestCounts(database: storage.database)]
        let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await nodes[number % 2].take("b", key: "a", rate, takes: true, at: start) == nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(allowed == 3)
    }

    @Test("Nobody's address is in the table, and what is over goes", arguments: TestDatabase.all)
    func table(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let counts = RequestCounts(database: storage.database)
        for number in 0..<5 {
            _ = try await counts.take("b", key: "ada\(number)@example.com", rate, takes: true, at: start)
        }
        let kept = try await storage.database.read { db in
            try db.rows("SELECT digest FROM request_counts") { String(decoding: $0.bytes(0), as: UTF8.self) }
        }
        #expect(kept.count == 5)
        #expect(!kept.contains { $0.contains("ada") })
        _ = try await counts.take("b", key: "later", rate, takes: true, at: start + .seconds(1_000))
        let left = try await storage.database.read { db in
            try db.row("SELECT count(*) FROM request_counts") { $0.int(0) }
        }
        #expect(left == 1)
        let plan = try await storage.database.read { db in
            try db.plan(RequestCounts.lookup("b", Array(repeating: 1, count: 32)))
        }
        #expect(plan.scans == [])
    }
}
