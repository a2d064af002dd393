import ArgumentParser
import GatehouseWire

/// The program's exit codes. The numbers are stable; `gatehouse exit-codes` prints them.
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

    /// A one-line description.
    package var summary: String {
        switch self {
        case .done: "Done."
        case .failed: "Something else went wrong; the message says what."
        case .notSignedIn: "Nobody is signed in, or the server rejected the sign-in."
        case .unavailable: "No answer: offline, the server is at fault, or the address is not an account server."
        case .refused: "The server refused the request (4xx)."
        case .storeUnavailable: "The place where the session is kept cannot be read or written."
        case .changesPending: "The database lacks schema changes of this program (`upgrade-check` only)."
        case .usage: "The command was not understood, or an input is missing or invalid."
        case .configuration: "The server's configuration is wrong (commands of the server only)."
        case .interrupted: "Ended by Ctrl-C. Another signal gives 128 and its number."
        }
    }

    /// All exit codes, one per line.
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
