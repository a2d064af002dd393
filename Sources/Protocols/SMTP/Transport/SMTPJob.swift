import GatehouseWire
import Synchronization

/// An email to send or a check of the connection, with its waiting caller.
final class SMTPJob: Sendable {
    struct Mail: Sendable {
        let bytes: [UInt8]
        let from: MailAddress
        let to: MailAddress
    }

    private struct State {
        var caller: CheckedContinuation<Result<SMTPReply, SMTPFailure>, Never>?
        var isCancelled = false
        var wake: (@Sendable () -> Void)?
    }

    /// nil for a check.
    let mail: Mail?
    private let state = Mutex(State())

    init(_ mail: Mail?) { self.mail = mail }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func wait(_ caller: CheckedContinuation<Result<SMTPReply, SMTPFailure>, Never>) {
        state.withLock { $0.caller = caller }
    }

    /// - Parameter wake: Wakes the job's thread when the caller is cancelled.
    func begin(wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Call once.
    func end(_ outcome: Result<SMTPReply, SMTPFailure>) {
        let caller = state.withLock { state in
            defer { (state.caller, state.wake) = (nil, nil) }
            return state.caller
        }
        caller?.resume(returning: outcome)
    }

    func cancel() {
        let wake = state.withLock { state in
            state.isCancelled = true
            return state.wake
        }
        wake?()
    }
}
