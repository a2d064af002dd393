import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire
package import SQLDatabase

struct UpgradeCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade-check",
        abstract: "Lists this program's schema changes that the database does not have yet.",
        discussion: """
            Prints each change's number and name, and whether earlier programs can keep running after it. Changes \
            nothing.

            Exit codes: 0 if nothing is pending, 7 if changes are listed, 1 if this program cannot read or use the \
            database, 78 if the configuration is invalid.

            EXAMPLES:
              gatehouse upgrade-check --config /etc/gatehouse/gatehouse.yaml
            """)

    @OptionGroup var options: DataOptions
    @OptionGroup var only: PartOptions

    func run() async throws {
        let location = try options.settings(parts: only.parts, using: .database).database
        guard !only.isPagesAlone else { return Output.note("Pages on their own have no database.") }
        let steps = migrations(for: only.parts)
        guard location.server != nil || FileManager.default.fileExists(atPath: location.path) else {
            Output.note("There is no database at \(location.path) yet.")
            return try report(SchemaUpgrade(pending: steps, newer: []))
        }
        try report(
            await explaining {
                let database = try openDatabase(location, System.world())
                return try await explainingSchema {
                    let pending = try await database.pendingMigrations(steps)
                    // A database without migrations has no table of them.
                    let newer = pending.count == steps.count ? [] : try await database.schemaState(steps).newer
                    return SchemaUpgrade(pending: pending, newer: newer)
                }
            })
    }

    private func report(_ upgrade: SchemaUpgrade) throws {
        for line in upgrade.lines { try Output.line(line) }
        Output.note(upgrade.summary)
        if !upgrade.pending.isEmpty { throw ExitCode(.changesPending) }
    }
}

package struct SchemaUpgrade: Sendable {
    /// Known to the program but not applied.
    package let pending: [Migration]
    /// Applied by a newer program.
    package let newer: [Int]

    package init(pending: [Migration], newer: [Int]) {
        (self.pending, self.newer) = (pending, newer)
    }

    package var lines: [String] {
        pending.map { step in
            let others =
                step.leastLevel == 0
                ? "earlier programs keep running" : "programs below schema level \(step.leastLevel) stop working"
            return "\(step.number)  \(step.name)  (\(others))"
        }
    }

    package var summary: String {
        guard pending.isEmpty else {
            let count = pending.count == 1 ? "One schema change is" : "\(pending.count) schema changes are"
            return "\(count) pending. Apply with `gatehouse migrate`."
        }
        guard let level = newer.last else { return "The database has every schema change of this program." }
        return "The database has every schema change of this program, and later ones up to level \(level)."
    }
}
