import ArgumentParser
import GatehouseServer

@main
enum Program {
    static func main() async {
        // New files are readable by their owner only, because they contain accounts and secrets.
        umask(0o077)
        // Writing to a closed pipe must fail with an error instead of ending the program.
        signal(SIGPIPE, SIG_IGN)
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try await RootCommand.asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            if RootCommand.wantsJSON(arguments), let failure = ClientFailure(usageError: error) {
                failure.tell(asJSON: true)
                RootCommand.exit(withError: ExitCode(failure.exit))
            }
            RootCommand.exit(withError: error)
        }
    }
}
