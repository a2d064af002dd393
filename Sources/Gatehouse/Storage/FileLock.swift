import Dispatch
import Foundation

/// A lock between processes on one machine, and between users of one process: `flock` on a file that stays.
///
/// The system frees it when its process ends, however that happens. Waiting is asking again: no thread blocks.
struct FileLock: Sendable {
    let folder: SecretFolder
    let clock: ClientClock
    /// A holder has a network call to make, which ends by its own limits before this.
    let limit: Duration
    /// Of the file; with a dot first, it is no entry's.
    let name: String
    private let gate = SerialGate()

    init(folder: SecretFolder, clock: ClientClock, limit: Duration = .seconds(120), name: String = ".lock") {
        self.folder = folder
        self.clock = clock
        self.limit = limit
        self.name = name
    }

    /// - Throws: What `body` throws; `CancellationError`; or a POSIX error, `ETIMEDOUT` when another process never
    ///   let go. `body` did not run in the latter cases.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await gate.run {
            let file = try await take()
            defer {
                // Closing alone would not do: a program that is just being started has the file, too, for a moment.
                flock(file, LOCK_UN)
                close(file)
            }
            return try await body()
        }
    }

    private func take() async throws -> Int32 {
        try folder.make()
        let file = open(folder.path + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SecretFolder.problem() }
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
    /// Runs what blocks on a thread that no task waits for.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { waiter in
            async { waiter.resume(with: Result { try work() }) }
        }
    }
}
