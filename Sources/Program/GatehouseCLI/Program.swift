import ArgumentParser
import GatehouseServer

@main
enum Program {
    static func main() async {
        // New files contain accounts and secrets: readable only by their owner.
        umask(0o077)
        // Writing to a closed pipe must throw instead of ending the program.
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
                end(with: ExitCode(failure.exit).rawValue)
            }
            end(with: tell(error))
        }
        end(with: 0)
    }

    /// Help goes to standard output, errors to standard error.
    ///
    /// - Returns: The exit code.
    private static func tell(_ error: any Error) -> Int32 {
        let code = RootCommand.exitCode(for: error).rawValue
        let message = RootCommand.fullMessage(for: error)
        guard !message.isEmpty else { return code }
        guard code == 0 else {
            Output.note(message)
            return code
        }
        do { try Output.line(message) } catch { return tell(error) }
        return code
    }

    /// Skips exit handlers: OpenSSL's frees what threads of libpq and libcurl still use.
    private static func end(with code: Int32) -> Never {
        fflush(nil)
        _exit(code)
    }
}
