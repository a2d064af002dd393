public import Foundation

/// Time, as the client reads it. Tests pass one that stands still.
public struct ClientClock: Sendable {
    /// The device's wall clock. It may be wrong by years; only differences to the server's time are kept.
    public var now: @Sendable () -> Date
    /// Time since any fixed moment, by a clock that nobody sets and that goes on while the device sleeps.
    public var uptime: @Sendable () -> Duration
    /// Waits; throws `CancellationError` when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// All three must be of one clock: a test that moves one moves the others.
    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
    }
}
