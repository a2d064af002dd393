package import Dispatch
import Foundation

/// Locks between processes and callers: `flock` on a permanent file, released by the system when a process ends.
/// Waiting polls, without blocking a thread.
package struct FileLock: Sendable {
    let folder: SecretFolder
    let clock: ClientClock
    /// Longer than a holder's requests.
    let limit: Duration
    /// Begins with a dot, so it is no entry.
    let name: String
    /// Delays suspension until the result is called; calls its argument shortly before.
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

    /// Cancels `body` before suspension: iOS ends apps suspended with a lock.
    ///
    /// - Throws: Errors of `body`. Without running it: `CancellationError`, or a POSIX error, `ETIMEDOUT` if another
    ///   process kept the lock.
    package func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await gate.run {
            let file = try openFile()
            defer { close(file) }
            let activity = try await lock(file)
            // Last: the process stays awake while it holds the lock.
            defer { activity.end() }
            // Closing is insufficient: a program being started briefly shares the descriptor.
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
                    // After a suspension the process may have time again.
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

private final class AwakeActivity: Sendable {
    private struct State {
        var isOver = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state: Locked<State>
    let end: @Sendable () -> Void

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

    /// Cancels `body` when time is up.
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
    /// On the queue's thread.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { waiter in
            async { waiter.resume(with: Result { try work() }) }
        }
    }
}
