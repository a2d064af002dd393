public import Foundation

/// The client's source of time.
public struct ClientClock: Sendable {
    /// The device's wall clock, which may be wrong: only its difference from the server's is used.
    public var now: @Sendable () -> Date
    /// The time since a fixed moment, from a monotonic clock that runs during sleep.
    public var uptime: @Sendable () -> Duration
    /// Waits for the duration; throws `CancellationError` if cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a clock. All three closures must share one time.
    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Waits until this process has run for the duration. A suspension adds at most twenty seconds.
    package func sleepWhileRunning(_ duration: Duration) async throws {
        var left = duration
        while left > .zero {
            let step = min(left, .seconds(20))
            try await sleep(step)
            left -= step
        }
    }
}
