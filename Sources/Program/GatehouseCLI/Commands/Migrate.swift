import ArgumentParser
import GatehouseServer
import SQLDatabase

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Applies pending migrations to the database.",
        discussion: "EXAMPLES:\n  gatehouse migrate --config /etc/gatehouse/gatehouse.yaml")

    @OptionGroup var options: DataOptions
    @OptionGroup var only: PartOptions

    func run() async throws {
        let settings = try options.settings(parts: only.parts, using: .database)
        guard !only.isPagesAlone else { return Output.note("Pages on their own have no database.") }
        let steps = migrations(for: only.parts)
        let pending = try await explaining {
            let database = try openDatabase(settings.database, System.world())
            let pending = try await explainingSchema { try await database.pendingMigrations(steps) }
            try await migrate(database, steps)
            return pending
        }
        for step in pending { try Output.line("\(step.number)  \(step.name)") }
        Output.note(pending.isEmpty ? "The schema is up to date." : "The schema is up to date now.")
    }
}
