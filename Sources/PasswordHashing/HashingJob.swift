import GatehouseWire
import Synchronization

/// One computation and the caller that waits for it. Whoever takes it out of `waiting` answers the caller, once:
/// the thread whose turn it is, or the caller's own cancellation.
final class HashingJob<Output: Sendable>: Sendable {
    typealias Caller = CheckedContinuation<Result<Output, HashingRefusal>, Never>
    /// - Returns: `nil` when the machine could not compute.
    typealias Work = @Sendable () -> Output?

    private enum State {
        case created(Work)
        case waiting(Caller, Work)
        case taken
    }

    private let state: Mutex<State>

    init(_ work: @escaping Work) { state = Mutex(.created(work)) }

    /// - Returns: False when the job was abandoned before its caller could wait.
    func wait(_ caller: Caller) -> Bool {
        state.withLock { state in
            guard case .created(let work) = state else { return false }
            state = .waiting(caller, work)
            return true
        }
    }

    /// For the thread whose turn it is: `nil` when the caller has gone.
    func take() -> (Caller, Work)? {
        state.withLock { state in
            guard case .waiting(let caller, let work) = state else { return nil }
            state = .taken
            return (caller, work)
        }
    }

    /// For a cancelled caller: forgets the work, with the password in it, before its turn.
    ///
    /// - Returns: The caller to answer, `nil` when none waits or a thread already works for it.
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
