import Testing

@testable import PostgresDriver

@Suite("Which statements stay off the connection that reads share")
struct UnfitStatementTests {
    private let statement = "SELECT 1"

    @Test("a statement that is slow once goes on sharing: the first of each after a start of the database is")
    func once() {
        var unfit = UnfitStatements()
        unfit.addSlow(statement, at: .seconds(5))
        #expect(!unfit.contains(statement, at: .seconds(5)))
    }

    @Test("one that is slow again within a minute stays off for a minute")
    func twice() {
        var unfit = UnfitStatements()
        unfit.addSlow(statement, at: .seconds(5))
        unfit.addSlow(statement, at: .seconds(64))
        #expect(unfit.contains(statement, at: .seconds(123)))
        #expect(!unfit.contains(statement, at: .seconds(124)))
        #expect(!unfit.contains("SELECT 2", at: .seconds(64)))
    }

    @Test("slow once an hour is never often")
    func seldom() {
        var unfit = UnfitStatements()
        for hour in 0..<10 { unfit.addSlow(statement, at: .seconds(hour * 3600)) }
        #expect(!unfit.contains(statement, at: .seconds(9 * 3600)))
    }

    @Test("one that more statements follow stays off at once")
    func followed() {
        var unfit = UnfitStatements()
        unfit.add(statement, at: .seconds(5))
        #expect(unfit.contains(statement, at: .seconds(64)))
    }
}
