import ArgumentParser
import GatehouseServer

struct CheckConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config", abstract: "Prints the effective configuration with secrets masked.",
        discussion: """
            Reports all problems, and exits with code 78 if there are any.

            EXAMPLES:
              gatehouse check-config --config /etc/gatehouse/gatehouse.yaml
            """)

    @OptionGroup var options: DataOptions
    @OptionGroup var only: PartOptions
    @Flag(help: "Print every setting as a Markdown list instead.") var documentation = false

    func run() async throws {
        if documentation { return try Output.send(SettingsReport.documentation) }
        do {
            let given = try options.given()
            try Output.send(SettingsReport(given).text)
            let settings = try ServerSettings(given, parts: only.parts)
            for finding in SettingsChecks(given, settings).all { Output.note(finding.line) }
        } catch let problems as SettingsProblems {
            Output.note("\n\(problems)")
            throw ExitCode(.configuration)
        }
    }
}
