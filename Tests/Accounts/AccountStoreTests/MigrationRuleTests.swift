import SQLDatabase
import TestDatabases
import Testing

@Suite("Migrations are compatible with earlier programs")
struct MigrationRuleTests {
    /// Earlier programs do not read or write the added columns.
    private static let adding = [
        "CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE TRIGGER ", "CREATE FUNCTION ",
        "CREATE POLICY ", "UPDATE ", "DO $make$ BEGIN EXECUTE format($create$\nCREATE FUNCTION ",
    ]

    private static func onlyAdds(_ text: String) -> Bool {
        if text.prefixMatch(of: #/ALTER TABLE \w+ ADD COLUMN /#) != nil {
            // A program that does not know the column writes rows without it.
            let column = text.prefix(upTo: text.firstRange(of: "CHECK")?.lowerBound ?? text.endIndex)
            return !column.contains("NOT NULL") || column.contains("DEFAULT")
        }
        return adding.contains { text.hasPrefix($0) }
    }

    @Test("A migration only adds, unless it names the programs that it ends")
    func addingSteps() {
        for migration in TestDatabase.migrations where migration.leastLevel == 0 {
            for statement in migration.statements + migration.dialectStatements.values.flatMap(\.self) {
                let text = statement.text
                // No program has read it before.
                if text.contains("ENABLE ROW LEVEL SECURITY"), migration.number == 5 { continue }
                #expect(Self.onlyAdds(text), "\(migration.number): \(text.prefix(80))")
            }
        }
    }

    @Test("A unique index is added only with its table: existing rows might violate it")
    func uniqueIndexes() {
        for migration in TestDatabase.migrations where migration.leastLevel == 0 {
            let made = migration.statements.compactMap {
                $0.text.firstMatch(of: /CREATE TABLE (\w+)/).map { String($0.output.1) }
            }
            for statement in migration.statements {
                guard let index = statement.text.firstMatch(of: /CREATE UNIQUE INDEX \w+ ON (\w+)/) else { continue }
                #expect(made.contains(String(index.output.1)), "\(migration.number): \(statement.text)")
            }
        }
    }

    @Test("An index of a table that has rows is built apart from the migration, which would lock its writers out")
    func indexesOfLargeTables() {
        var indexed = 0
        for migration in TestDatabase.migrations {
            let statements = migration.statements + migration.dialectStatements.values.flatMap(\.self)
            let made = statements.compactMap { $0.text.firstMatch(of: /CREATE TABLE (\w+)/).map { $0.output.1 } }
            for statement in statements {
                guard let index = statement.text.firstMatch(of: /CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)/) else {
                    continue
                }
                #expect(made.contains(index.output.1), "\(migration.number): \(statement.text)")
            }
            indexed += migration.indexes.count
        }
        #expect(indexed > 0)
    }

    @Test("A migration that would take several locks of existing tables, one after the other, takes them at once")
    func locks() {
        for migration in TestDatabase.migrations {
            let texts = (migration.statements + (migration.dialectStatements[.postgresql] ?? [])).map(\.text)
            let made = texts.flatMap { $0.matches(of: /CREATE TABLE (\w+)/).map { String($0.output.1) } }
            func tables(_ pattern: Regex<(Substring, Substring)>) -> Set<String> {
                Set(texts.flatMap { $0.matches(of: pattern).map { String($0.output.1) } }).subtracting(made)
            }
            let changed = tables(/ALTER TABLE (\w+)/)
            // Weaker locks, which must not be raised.
            let used = tables(/REFERENCES (\w+)/).union(tables(/AFTER \w+ ON (\w+)/))
            if changed.count + used.count < 2 { continue }
            #expect(changed.union(used) == Set(migration.changing), "\(migration.number)")
        }
    }

    @Test("Migrations are numbered from 1 without gaps, and none ends programs that know it")
    func numbers() {
        #expect(TestDatabase.migrations.map(\.number) == Array(1...TestDatabase.migrations.count))
        #expect(TestDatabase.migrations.allSatisfy { $0.leastLevel <= $0.number })
    }
}
