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
    /// Asks the system not to suspend the process; the result ends that.
    let stayAwake: @Sendable () -> @Sendable () -> Void
    private let gate = SerialGate()

    package init(
        folder: SecretFolder, clock: ClientClock, limit: Duration = .seconds(120), name: String = ".lock",
        stayAwake: @escaping @Sendable () -> @Sendable () -> Void = { postponeSuspension() }
    ) {
        self.folder = folder
        self.clock = clock
        self.limit = limit
        self.name = name
        self.stayAwake = stayAwake
    }

    /// - Throws: Errors of `body`; `CancellationError`; or a POSIX error, `ETIMEDOUT` if another process never released
    ///   the lock. In the latter cases `body` did not run.
    package func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await gate.run {
            let sleep = stayAwake()
            // The last thing: iOS ends an app that it suspends while it holds a lock in a shared container.
            defer { sleep() }
            let file = try await take()
            defer {
                // Closing is not sufficient: a program that is just being started briefly shares the descriptor.
                flock(file, LOCK_UN)
                close(file)
            }
            return try await body()
        }
    }

    private func take() async throws -> Int32 {
        try folder.make()
        let file = open(folder.path + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            let number = errno
            if number == errorOfLockedDevice { throw StoreProblem("open \(number)", cause: .locked) }
            throw SecretFolder.problem(number)
        }
        do {
            try await lock(file)
            return file
        } catch {
            close(file)
            throw error
        }
    }

    private func lock(_ file: Int32) async throws {
        let end = clock.uptime() + limit
        var wait = Duration.milliseconds(5)
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw SecretFolder.problem() }
            guard clock.uptime() < end else { throw SecretFolder.problem(ETIMEDOUT) }
            try await clock.sleep(wait)
            wait = min(wait * 2, .milliseconds(100))
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
