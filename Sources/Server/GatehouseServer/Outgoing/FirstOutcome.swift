import GatehouseWire
import Synchronization

/// Cancelling the caller ends the wait immediately, even while an uncancellable thread works.
final class FirstOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case early(Result<Value, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    /// There is an outcome, or the caller was cancelled.
    var isOver: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: false
            case .early, .over: true
            }
        }
    }

    /// Ignored after the first outcome.
    func end(_ outcome: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .open: state = .early(outcome)
            case .awaited(let waiter):
                state = .over
                return waiter
            case .early, .over: break
            }
            return nil
        }
        waiter?.resume(with: outcome)
    }

    /// Call once.
    ///
    /// - Parameter stop: Called if the caller is cancelled.
    func value(
        startedBy start: @Sendable () -> Void, stoppedBy stop: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let early = state.withLock { state -> Result<Value, any Error>? in
                    if case .early(let outcome) = state {
                        state = .over
                        return outcome
                    }
                    state = .awaited(waiter)
                    return nil
                }
                if let early { return waiter.resume(with: early) }
                start()
            }
        } onCancel: {
            end(.failure(CancellationError()))
            stop()
        }
    }
}
