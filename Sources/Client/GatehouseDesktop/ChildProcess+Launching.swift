import Dispatch
import Foundation
import Gatehouse

enum Launch: Hashable, Sendable {
    case ended(code: Int32?)
    case goesOn
}

extension ChildProcess {
    /// Starts a program that may outlive the call.
    ///
    /// - Parameter patience: How long to wait for an early failure.
    /// - Throws: ``ChildProblem/notStarted(_:)``.
    func launch(patience: Duration, clock: ClientClock) async throws -> Launch {
        let child = try await DispatchQueue(label: "gatehouse.launch").run { () throws -> pid_t in
            let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard nothing >= 0 else { throw ChildProblem.notStarted(errno) }
            defer { close(nothing) }
            return try spawn(input: nothing, output: nothing, errors: nothing)
        }
        let (news, say) = AsyncStream<Launch>.makeStream()
        // Reaps the program.
        DispatchQueue(label: "gatehouse.launched").async { say.yield(.ended(code: Self.reap(child))) }
        let timer = Task {
            // Cancelled: the program has exited.
            do { try await clock.sleep(patience) } catch { return }
            say.yield(.goesOn)
        }
        defer { timer.cancel() }
        for await launch in news { return launch }
        throw CancellationError()
    }
}
