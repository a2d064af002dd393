public import Foundation

/// The client's source of time. Tests pass one that they control.
public struct ClientClock: Sendable {
    /// The device's wall clock, which may be wrong by years. The client uses only its difference from the server's
    /// time.
    public var now: @Sendable () -> Date
    /// The time since a fixed moment, from a monotonic clock that continues while the device sleeps.
    public var uptime: @Sendable () -> Duration
    /// Waits for the duration; throws `CancellationError` if cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// All three must belong to one clock: a test that advances one advances the others.
    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Waits until this process has run for the duration: of the time during which the system suspends it, at most one step
    /// of twenty seconds counts.
    ///
    /// - Throws: `CancellationError`.
    package func sleepWhileRunning(_ duration: Duration) async throws {
        var left = duration
        while left > .zero {
            let step = min(left, .seconds(20))
            try await sleep(step)
            left -= step
        }
    }
}
