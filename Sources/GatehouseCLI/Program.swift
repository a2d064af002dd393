import ArgumentParser

@main
enum Program {
    static func main() async {
        // Files are for their owner alone: accounts and secrets lie in them.
        umask(0o077)
        // A reader that has gone is an error of write(2), not the end of the program.
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
