import CSQLite
import Synchronization

/// Interrupts slow reads. SQLite calls it after every ``steps`` instructions of its virtual machine
/// (`sqlite3_progress_handler`).
final class StepWatch: Sendable {
    /// About a millisecond.
    static let steps: Int32 = 50_000

    private struct State {
        /// nil never interrupts.
        var mustStop: (@Sendable (_ questions: Int) -> Bool)?
        var questions = 0
        var hasStopped = false
    }

    private let state = Mutex(State())

    /// - Parameter mustStop: Gets the number of calls so far. SQLite counts a prepared statement's instructions across
    ///   runs, so the first call may come early.
    func begin(_ mustStop: @escaping @Sendable (_ questions: Int) -> Bool) {
        state.withLock { $0 = State(mustStop: mustStop) }
    }

    /// - Returns: Whether a statement was interrupted.
    func end() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.hasStopped
        }
    }

    private func stops() -> Bool {
        state.withLock { state in
            guard let mustStop = state.mustStop else { return false }
            state.questions += 1
            if mustStop(state.questions) { state.hasStopped = true }
            return state.hasStopped
        }
    }

    /// The watch must live as long as the connection.
    func watch(_ connection: SQLiteHandle) {
        sqlite3_progress_handler(
            connection.pointer, Self.steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<StepWatch>.fromOpaque(context).takeUnretainedValue().stops() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
