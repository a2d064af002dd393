import ServiceLifecycle

/// Repeats immediately while there is work, otherwise after a pause. Finishes the current round at shutdown.
package struct PeriodicTask: Service {
    let pause: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let work: @Sendable () async throws -> Int
    let failed: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - sleep: Throws if cancelled.
    ///   - work: Returns the amount of work done; 0 leads to a pause.
    ///   - failed: `work` is retried after the pause.
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
                // Cancelled by the shutdown, which the loop checks, or with this task.
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
