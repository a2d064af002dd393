import GatehouseWire
import Synchronization

/// Either a thread or the caller's cancellation takes the job out of `waiting`, and then resumes the caller exactly
/// once.
final class HashingJob<Output: Sendable>: Sendable {
    typealias Caller = CheckedContinuation<Result<Output, HashingRefusal>, Never>
    /// - Returns: `nil` if the computation failed.
    typealias Work = @Sendable () -> Output?

    private enum State {
        case created(Work)
        case waiting(Caller, Work)
        case taken
    }

    private let state: Mutex<State>

    init(_ work: @escaping Work) { state = Mutex(.created(work)) }

    /// - Returns: false if the job was already cancelled.
    func wait(_ caller: Caller) -> Bool {
        state.withLock { state in
            guard case .created(let work) = state else { return false }
            state = .waiting(caller, work)
            return true
        }
    }

    /// `nil` if the caller was cancelled.
    func take() -> (Caller, Work)? {
        state.withLock { state in
            guard case .waiting(let caller, let work) = state else { return nil }
            state = .taken
            return (caller, work)
        }
    }

    /// Also releases the work with the password in it.
    ///
    /// - Returns: `nil` if no caller waits or a thread has taken the job.
    func abandon() -> Caller? {
        state.withLock { state in
            switch state {
            case .created:
                state = .taken
                return nil
            case .waiting(let caller, _):
                state = .taken
                return caller
            case .taken:
                return nil
            }
        }
    }
}
