import Testing

@testable import PostgresDriver

@Suite("Queries excluded from the shared connection")
struct SlowStatementTests {
    private let statement = "SELECT 1"

    @Test("one slow run keeps sharing: the first after a start is always slow")
    func once() {
        var slow = SlowStatements()
        slow.add(statement, at: .seconds(5))
        #expect(!slow.contains(statement, at: .seconds(5)))
    }

    @Test("a second slow run within a minute excludes it for a minute")
    func twice() {
        var slow = SlowStatements()
        slow.add(statement, at: .seconds(5))
        slow.add(statement, at: .seconds(64))
        #expect(slow.contains(statement, at: .seconds(123)))
        #expect(!slow.contains(statement, at: .seconds(124)))
        #expect(!slow.contains("SELECT 2", at: .seconds(64)))
    }

    @Test("a slow run once an hour is not repeated")
    func seldom() {
        var slow = SlowStatements()
        for hour in 0..<10 { slow.add(statement, at: .seconds(hour * 3600)) }
        #expect(!slow.contains(statement, at: .seconds(9 * 3600)))
    }
}
