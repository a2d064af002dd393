import ArgumentParser
import CEmbedded
import GatehouseServer
import SQLDatabase

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Prints this program's version.",
        discussion: """
            Includes the commit and its date, the compiler, and the schema level, which is the number of the newest \
            schema change. A program built without `make dist` or `make install` prints "development" instead of a \
            commit.

            EXAMPLES:
              gatehouse version
            """)

    func run() throws {
        let origin = ProgramVersion.origin(
            commit: String(cString: gatehouse_build_commit()), date: String(cString: gatehouse_build_date()))
        try Output.line(
            "gatehouse \(ProgramVersion.text) (\(origin)), compiled with Swift \(ProgramVersion.compiler), schema level "
                + "\(migrations(for: [.auth]).last?.number ?? 0)")
    }
}

extension ProgramVersion {
    /// "development" if the build named no commit.
    package static func origin(commit: String, date: String) -> String {
        if commit.isEmpty { return "development" }
        return date.isEmpty ? "commit \(commit)" : "commit \(commit) of \(date)"
    }
}
