import ServiceLifecycle

/// Does something again and again for as long as the server runs: at once while there is something to do, else after
/// a pause. What is under way when the server ends is finished.
package struct Repeating: Service {
    let pause: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let work: @Sendable () async throws -> Int
    let failed: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - sleep: Throws when it is cancelled.
    ///   - work: Returns how much was done.
    ///   - failed: Told what `work` throws; the next try is after the pause.
    package init(
        every pause: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        work: @escaping @Sendable () async throws -> Int, failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.pause = pause
        self.sleep = sleep
        self.work = work
        self.failed = failed
    }

    package func run() async throws {
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            if await doneOnce() > 0 { continue }
            do {
                try await cancelWhenGracefulShutdown { try await sleep(pause) }
            } catch {
                // Cancelled: by the end of the server, which the loop's condition knows, or of this task.
                guard Task.isShuttingDownGracefully else { return }
            }
        }
    }

    private func doneOnce() async -> Int {
        do {
            return try await work()
        } catch is CancellationError {
            return 0
        } catch {
            failed(error)
            return 0
        }
    }
}
