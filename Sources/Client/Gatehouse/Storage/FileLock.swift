package import Dispatch
import Foundation

/// A lock between processes on one machine and between callers in one process: `flock` on a permanent file.
///
/// The system releases it when its process ends. Waiting is polling, which blocks no thread.
package struct FileLock: Sendable {
    let folder: SecretFolder
    let clock: ClientClock
    /// Longer than the network calls of a holder, which have their own limits.
    let limit: Duration
    /// The file's name. Begins with a dot, so it is not an entry.
    let name: String
    /// Asks the system not to suspend the process, and ends that with its result. The system calls the argument when it is
    /// about to suspend the process nevertheless.
    let stayAwake: @Sendable (@escaping @Sendable () -> Void) -> @Sendable () -> Void
    private let gate = SerialGate()

    package init(
        folder: SecretFolder, clock: ClientClock, limit: Duration = .seconds(120), name: String = ".lock",
        stayAwake: @escaping @Sendable (@escaping @Sendable () -> Void) -> @Sendable () -> Void = {
            postponeSuspension($0)
        }
    ) {
        self.folder = folder
        self.clock = clock
        self.limit = limit
        self.name = name
        self.stayAwake = stayAwake
    }

    /// Cancels the task of `body` when the system is about to suspend the process, which it must not do while the process
    /// holds the lock: iOS ends such an app.
    ///
    /// - Throws: Errors of `body`; `CancellationError`; or a POSIX error, `ETIMEDOUT` if another process never released
    ///   the lock. In the latter cases `body` did not run.
    package func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await gate.run {
            let file = try openFile()
            defer { close(file) }
            let activity = try await lock(file)
            // The last thing.
            defer { activity.end() }
            // Closing is not sufficient: a program that is just being started briefly shares the descriptor.
            defer { flock(file, LOCK_UN) }
            return try await activity.run(body)
        }
    }

    private func openFile() throws -> Int32 {
        try folder.make()
        let file = open(folder.path + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let number = errno
            if number == errorOfLockedDevice { throw StoreProblem("open \(number)", cause: .locked) }
            throw SecretFolder.problem(number)
        }
        return file
    }

    /// - Returns: An activity that began before the lock was taken.
    private func lock(_ file: Int32) async throws -> AwakeActivity {
        let end = clock.uptime() + limit
        var wait = Duration.milliseconds(5)
        var activity = AwakeActivity(stayAwake)
        do {
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else { throw SecretFolder.problem() }
                guard clock.uptime() < end else { throw SecretFolder.problem(ETIMEDOUT) }
                try await clock.sleep(wait)
                wait = min(wait * 2, .milliseconds(100))
                if activity.isOver {
                    // The process was suspended while it waited, and may have time again.
                    activity.end()
                    activity = AwakeActivity(stayAwake)
                }
            }
        } catch {
            activity.end()
            throw error
        }
        return activity
    }
}

/// The time that the system grants a process before it suspends it.
private final class AwakeActivity: Sendable {
    private struct State {
        var isOver = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state: Locked<State>
    let end: @Sendable () -> Void

    /// Begins the activity.
    init(_ begin: (@escaping @Sendable () -> Void) -> @Sendable () -> Void) {
        let state = Locked(State())
        self.state = state
        end = begin {
            let cancel = state.withLock { state in
                state.isOver = true
                return state.cancel
            }
            cancel?()
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Runs `body` in a task that is cancelled when the time is over, or the caller is.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await withoutActuallyEscaping(body) { body in
            let task = Task { try await body() }
            let isOver = state.withLock { state in
                state.cancel = { task.cancel() }
                return state.isOver
            }
            if isOver { task.cancel() }
            defer { state.withLock { $0.cancel = nil } }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

extension DispatchQueue {
    /// Runs blocking work on the queue's thread.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { waiter in
            async { waiter.resume(with: Result { try work() }) }
        }
    }
}
