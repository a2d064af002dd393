import ArgumentParser
import SQLDatabase

@main
enum Program {
    static func main() async {
        // Files are for their owner alone: accounts and secrets lie in them.
        umask(0o077)
        // A reader that has gone is an error of write(2), not the end of the program.
        signal(SIGPIPE, SIG_IGN)
        await Gatehouse.main()
    }
}

struct Gatehouse: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "An account server that speaks the Supabase Auth protocol, with a profile gateway beside it.",
        version: "gatehouse \(ProgramVersion.text)",
        subcommands: [
            Dev.self, Serve.self, Migrate.self, Keys.self, Users.self, Doctor.self, CheckConfig.self, Version.self,
        ])
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Tells what this program is.")

    func run() {
        Output.line(
            "gatehouse \(ProgramVersion.text), compiled with Swift \(ProgramVersion.compiler), schema level "
                + "\(migrations(for: [.auth]).last?.number ?? 0)")
    }
}
