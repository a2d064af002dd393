import ArgumentParser
import GatehouseServer
import GatehouseWire

struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "Accounts for Swift apps: an auth server that speaks the Supabase Auth protocol, and a client.",
        discussion: """
            EXAMPLES:
              gatehouse dev                      start everything on this machine
              gatehouse signup                   create an account there
              gatehouse serve --config FILE      run a server
            """,
        version: "gatehouse \(ProgramVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    Dev.self, Serve.self, Migrate.self, UpgradeCheck.self, Keys.self, Users.self, Operators.self,
                    Why.self, Audit.self, Mails.self, HookCommands.self,
                    Import.self, Export.self,
                    Apply.self, ExportConfig.self,
                    Doctor.self, CheckConfig.self,
                ]),
            CommandGroup(name: "Your account", subcommands: clientCommands),
            CommandGroup(name: "This program", subcommands: [Completions.self, ExitCodes.self, Version.self]),
        ])

    private static let clientCommands: [any ParsableCommand.Type] = [
        LogIn.self, SignUp.self, Verify.self, Recover.self, WhoAmI.self, ProfileCommands.self, Teams.self,
        SessionCommands.self, MFACommands.self, LogOut.self, DeleteAccount.self,
    ]

    static func wantsJSON(_ arguments: [String]) -> Bool {
        let names = clientCommands.compactMap { $0.configuration.commandName }
        return arguments.first.map(names.contains) == true && arguments.contains("--json")
    }
}

extension ClientFailure {
    /// - Returns: nil for other errors, for `--help`, and for errors already reported.
    package init?(usageError error: any Error) {
        guard !(error is ExitCode), RootCommand.exitCode(for: error) == .validationFailure else { return nil }
        self = .usage(RootCommand.message(for: error))
    }

    package init?(arguments: [String]) {
        do {
            _ = try RootCommand.parseAsRoot(arguments)
            return nil
        } catch {
            self.init(usageError: error)
        }
    }
}
