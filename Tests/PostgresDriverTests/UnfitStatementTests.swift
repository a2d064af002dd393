import Testing

@testable import PostgresDriver

@Suite("Statements excluded from the shared read connection")
struct UnfitStatementTests {
    private let statement = "SELECT 1"

    @Test("one slow run keeps sharing: the first after a start is always slow")
    func once() {
        var unfit = UnfitStatements()
        unfit.addSlow(statement, at: .seconds(5))
        #expect(!unfit.contains(statement, at: .seconds(5)))
    }

    @Test("a second slow run within a minute excludes it for a minute")
    func twice() {
        var unfit = UnfitStatements()
        unfit.addSlow(statement, at: .seconds(5))
        unfit.addSlow(statement, at: .seconds(64))
        #expect(unfit.contains(statement, at: .seconds(123)))
        #expect(!unfit.contains(statement, at: .seconds(124)))
        #expect(!unfit.contains("SELECT 2", at: .seconds(64)))
    }

    @Test("a slow run once an hour is not repeated")
    func seldom() {
        var unfit = UnfitStatements()
        for hour in 0..<10 { unfit.addSlow(statement, at: .seconds(hour * 3600)) }
        #expect(!unfit.contains(statement, at: .seconds(9 * 3600)))
    }

    @Test("one followed by another statement is excluded at once")
    func followed() {
        var unfit = UnfitStatements()
        unfit.add(statement, at: .seconds(5))
        #expect(unfit.contains(statement, at: .seconds(64)))
    }
}
