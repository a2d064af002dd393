/// How hard a refresh tries. The defaults are the ones of the requirements (B2, B3).
public struct RefreshRules: Hashable, Sendable {
    /// A caller gets a token that is good for this long, or for half its lifetime if that is less.
    public var leeway: Duration = .seconds(30)
    /// A token given less than this ago is served again instead of another refresh.
    public var window: Duration = .seconds(5)
    /// Further tries after the first, for failures that pass.
    public var retries = 3
    /// The wait before the first further try, doubled for each one after it, times a random 0.5 to 1.5.
    public var firstWait: Duration = .milliseconds(500)
    /// When the server asks for more than this (`Retry-After`), callers are told at once that it is out of reach,
    /// and no refresh is sent before the time is over.
    public var longestWait: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    /// - Parameters:
    ///   - failures: How many tries have failed before this one.
    ///   - random: 0 to 1.
    /// - Returns: nil when it is time to give up.
    func wait(failures: Int, retryAfter: Duration?, random: Double) -> Duration? {
        guard failures < retries else { return nil }
        let backoff = firstWait * (1 << failures) * (0.5 + random)
        guard let retryAfter else { return min(backoff, longestWait) }
        // Jitter on top, so that clients that were told the same time do not come back together.
        return retryAfter > longestWait ? nil : retryAfter + firstWait * random
    }
}
