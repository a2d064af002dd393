/// Timing and retries of refreshes.
public struct RefreshRules: Hashable, Sendable {
    /// Callers get a token that is valid for this long, or for half its lifetime if that is less.
    public var leeway: Duration = .seconds(30)
    /// A token that is younger than this is returned instead of refreshing again, unless the app requests a refresh.
    public var window: Duration = .seconds(5)
    /// The number of retries after temporary failures.
    public var retries = 3
    /// The delay before the first retry, doubled for each further one, times a random factor from 0.5 to 1.5.
    public var firstWait: Duration = .milliseconds(500)
    /// A longer `Retry-After` is reported to callers as offline, and no refresh is sent before that time.
    public var longestWait: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    /// - Parameters:
    ///   - failures: The number of failed attempts so far.
    ///   - random: A random number from 0 to 1.
    /// - Returns: The delay before the next attempt; nil to give up.
    func wait(failures: Int, retryAfter: Duration?, random: Double) -> Duration? {
        guard failures < retries else { return nil }
        let backoff = firstWait * (1 << failures) * (0.5 + random)
        guard let retryAfter else { return min(backoff, longestWait) }
        // Adds jitter, so that clients with the same `Retry-After` do not retry at the same time.
        return retryAfter > longestWait ? nil : retryAfter + firstWait * random
    }
}
