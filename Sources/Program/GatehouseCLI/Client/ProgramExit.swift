import ArgumentParser
import GatehouseWire

/// Stable exit codes; `gatehouse exit-codes` prints them.
package enum ProgramExit: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case notSignedIn = 3
    case unavailable = 4
    case refused = 5
    case storeUnavailable = 6
    case changesPending = 7
    case usage = 64
    case configuration = 78
    case interrupted = 130

    /// One line.
    package var summary: String {
        switch self {
        case .done: "Done."
        case .failed: "Another error; the message explains it."
        case .notSignedIn: "Not signed in, or the server rejected the sign-in."
        case .unavailable: "Offline, a server error, or a URL that is not an account server's."
        case .refused: "The server rejected the request (4xx)."
        case .storeUnavailable: "The session store cannot be read or written."
        case .changesPending: "Changes are pending (`upgrade-check`, `apply --dry-run`)."
        case .usage: "The command line or an input is invalid."
        case .configuration: "The server's configuration is invalid (server commands only)."
        case .interrupted: "Stopped by Ctrl-C. Other signals exit with 128 plus their number."
        }
    }

    package static var table: String {
        allCases.map { code in
            let number = String(code.rawValue)
            return String(repeating: " ", count: 3 - number.count) + number + "  " + code.summary + "\n"
        }.joined()
    }
}

extension ExitCode {
    init(_ exit: ProgramExit) { self.init(exit.rawValue) }
}

struct ExitCodes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exit-codes", abstract: "Explains the exit codes.", discussion: ProgramExit.table)

    func run() throws { try Output.send(ProgramExit.table) }
}
