import GatehouseCLI
import GatehouseServer
import SQLDatabase
import Testing

@Suite("The report of upgrade-check, and what a program was built from")
struct UpgradeCheckTests {
    @Test("A change that removes something names the programs that cannot go on")
    func lines() {
        let upgrade = SchemaUpgrade(
            pending: [Migration(30, "colours", []), Migration(31, "no old column", [], leastLevel: 30)], newer: [])
        #expect(
            upgrade.lines == [
                "30  colours  (earlier programs keep running)",
                "31  no old column  (programs below schema level 30 stop working)",
            ])
    }

    @Test(
        "The summary says what is pending, and whether a newer program was there",
        arguments: [
            (1, [], "One schema change is pending. Apply with `gatehouse migrate`."),
            (2, [], "2 schema changes are pending. Apply with `gatehouse migrate`."),
            (0, [], "The database has every schema change of this program."),
            (0, [31, 32], "The database has every schema change of this program, and later ones up to level 32."),
        ] as [(Int, [Int], String)])
    func summary(count: Int, newer: [Int], text: String) {
        let pending = (0..<count).map { Migration($0 + 1, "a change", []) }
        #expect(SchemaUpgrade(pending: pending, newer: newer).summary == text)
    }

    @Test(
        "A program names its commit and its date, or that it is for development",
        arguments: [
            ("", "", "development"), ("", "2026-01-31", "development"), ("0123456789ab", "", "commit 0123456789ab"),
            ("0123456789ab", "2026-01-31", "commit 0123456789ab of 2026-01-31"),
        ])
    func origin(commit: String, date: String, text: String) {
        #expect(ProgramVersion.origin(commit: commit, date: date) == text)
    }
}
