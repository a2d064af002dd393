/// Refreshes: timing and retries.
public struct RefreshRules: Hashable, Sendable {
    /// How long a returned token stays valid, or half its lifetime if less.
    public var leeway: Duration = .seconds(30)
    /// A younger token is not refreshed unless the app requests it.
    public var window: Duration = .seconds(5)
    /// The retries after temporary failures.
    public var retries = 3
    /// The first retry's delay, doubled for each further one, times 0.5 to 1.5 at random.
    public var firstWait: Duration = .milliseconds(500)
    /// A longer `Retry-After` is reported as offline, and honored.
    public var longestWait: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    /// nil to give up. `random` is from 0 to 1.
    func wait(failures: Int, retryAfter: Duration?, random: Double) -> Duration? {
        guard failures < retries else { return nil }
        let backoff = firstWait * (1 << failures) * (0.5 + random)
        guard let retryAfter else { return min(backoff, longestWait) }
        // Jitter spreads clients with the same `Retry-After`.
        return retryAfter > longestWait ? nil : retryAfter + firstWait * random
    }
}
