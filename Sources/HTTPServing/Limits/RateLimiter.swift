package import GatehouseWire
import Synchronization

/// A token bucket (contract 8.1): starts with `burst` tokens and gains `count` of them in each `window`.
package struct RateLimit: Hashable, Sendable {
    package let bucket: String
    package let count: Int
    package let window: Duration
    package let burst: Int
    /// Whether all nodes count together, where they have something to share it by.
    package let isShared: Bool

    package init(_ bucket: String, _ count: Int, per window: Duration, burst: Int, isShared: Bool = false) {
        self.isShared = isShared
        self.bucket = bucket
        self.count = count
        self.window = window
        self.burst = burst
    }

    /// Tokens per second.
    var rate: Double { Double(count) / max(window.fractionalSeconds, 0.001) }
}

/// What several nodes count by. Asked only after the node's own count has allowed it, so that a flood does not reach it.
package struct SharedCounts: Sendable {
    package typealias Take =
        @Sendable (RateLimit, _ key: String, _ takes: Bool, _ now: Instant) async throws -> Duration?

    /// Takes a token, or looks; nil when there was one, else how long until there is.
    let take: Take
    let giveBack: @Sendable (RateLimit, _ key: String) async throws -> Void
    let reset: @Sendable (RateLimit, _ key: String) async throws -> Void

    package init(
        take: @escaping Take, giveBack: @escaping @Sendable (RateLimit, _ key: String) async throws -> Void,
        reset: @escaping @Sendable (RateLimit, _ key: String) async throws -> Void
    ) {
        self.take = take
        self.giveBack = giveBack
        self.reset = reset
    }
}

/// Counts requests by bucket and key: in memory, and those of a shared limit in ``SharedCounts`` too.
///
/// Bounded: a key whose bucket is full again is forgotten, and of a bucket that still reaches its capacity the
/// half that is nearest to full is forgotten, so that a flood from many addresses frees none that is shut.
package final class RateLimiter: Sendable {
    package enum Decision: Equatable, Sendable {
        case allowed
        /// Try again after this long.
        case refused(retryAfter: Duration, bucket: String)
    }

    private let buckets: [String: Bucket]
    private let shared: SharedCounts?

    /// - Parameters:
    ///   - shared: Where shared limits are counted; nil for a node that is alone.
    ///   - capacity: Keys of one bucket.
    package init(_ limits: [RateLimit], shared: SharedCounts? = nil, capacity: Int = 100_000) {
        buckets = Dictionary(limits.map { ($0.bucket, Bucket($0, capacity: capacity)) }) { _, last in last }
        self.shared = shared
    }

    /// Takes a token. A bucket without a rule allows everything.
    ///
    /// - Throws: When what nodes share is out of reach.
    package func take(_ bucket: String, key: String, at now: Instant) async throws -> Decision {
        try await decide(bucket, key, takes: true, at: now)
    }

    /// Whether a token is there, without taking it: for limits that count failures only.
    package func peek(_ bucket: String, key: String, at now: Instant) async throws -> Decision {
        try await decide(bucket, key, takes: false, at: now)
    }

    private func decide(_ bucket: String, _ key: String, takes: Bool, at now: Instant) async throws -> Decision {
        guard let counted = buckets[bucket] else { return .allowed }
        let own = counted.decide(key, at: now, takes: takes)
        guard own == .allowed, counted.limit.isShared, let shared else { return own }
        guard let wait = try await shared.take(counted.limit, key, takes, now) else { return .allowed }
        return .refused(retryAfter: wait, bucket: bucket)
    }

    /// Puts a token back that ``take(_:key:at:)`` took, for limits that count failures only: taken before the
    /// work, so that a hundred tries at once are a hundred tries.
    package func giveBack(_ bucket: String, key: String) async throws {
        guard let counted = buckets[bucket] else { return }
        counted.giveBack(key)
        if counted.limit.isShared { try await shared?.giveBack(counted.limit, key) }
    }

    /// Fills the bucket of one key, as a success does to its count of failures.
    package func reset(_ bucket: String, key: String) async throws {
        guard let counted = buckets[bucket] else { return }
        counted.forget(key)
        if counted.limit.isShared { try await shared?.reset(counted.limit, key) }
    }

    /// - Throws: ``Refusal`` 429.
    package func require(_ bucket: String, key: String, at now: Instant) async throws {
        try await take(bucket, key: key, at: now).enforce()
    }

    /// How many keys are remembered, for the metrics.
    package var keyCount: Int { buckets.values.reduce(0) { $0 + $1.keyCount } }
}

extension RateLimiter.Decision {
    /// - Throws: ``Refusal`` 429.
    package func enforce() throws {
        if case .refused(let retryAfter, let bucket) = self {
            throw Refusal.tooManyRequests(retryAfter: retryAfter, bucket: bucket)
        }
    }
}

private final class Bucket: Sendable {
    private struct Level {
        var tokens: Double
        var at: Instant
    }

    private struct State {
        var levels: [String: Level] = [:]
        var nextSweep = Instant(microseconds: .min)
    }

    let limit: RateLimit
    private let capacity: Int
    private let state = Mutex(State())

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = max(1, capacity)
    }

    var keyCount: Int { state.withLock { $0.levels.count } }

    func forget(_ key: String) { state.withLock { $0.levels[key] = nil } }

    func giveBack(_ key: String) {
        state.withLock { state in
            guard let level = state.levels[key] else { return }
            state.levels[key]?.tokens = min(Double(limit.burst), level.tokens + 1)
        }
    }

    func decide(_ key: String, at now: Instant, takes: Bool) -> RateLimiter.Decision {
        state.withLock { state in
            var level = state.levels[key] ?? Level(tokens: Double(limit.burst), at: now)
            level.tokens = tokens(level, at: now)
            // A clock that was set back gains nothing and loses nothing.
            level.at = now
            guard level.tokens >= 1 else {
                // Where nothing is allowed there is nothing to remember.
                if state.levels[key] != nil { state.levels[key] = level }
                let wait = limit.count > 0 ? (1 - level.tokens) / limit.rate : limit.window.fractionalSeconds
                return .refused(retryAfter: .seconds(wait), bucket: limit.bucket)
            }
            guard takes else { return .allowed }
            level.tokens -= 1
            makeRoom(&state, at: now)
            state.levels[key] = level
            return .allowed
        }
    }

    private func tokens(_ level: Level, at now: Instant) -> Double {
        let elapsed = max(0, (now - level.at).fractionalSeconds)
        return min(Double(limit.burst), level.tokens + elapsed * limit.rate)
    }

    private func makeRoom(_ state: inout State, at now: Instant) {
        guard state.levels.count >= capacity || now >= state.nextSweep else { return }
        state.nextSweep = now + limit.window
        state.levels = state.levels.filter { tokens($0.value, at: now) < Double(limit.burst) }
        guard state.levels.count >= capacity else { return }
        let emptiest = state.levels.map { (key: $0.key, tokens: tokens($0.value, at: now)) }
            .sorted { $0.tokens < $1.tokens }.prefix(capacity / 2)
        let kept = Set(emptiest.map(\.key))
        state.levels = state.levels.filter { kept.contains($0.key) }
    }
}
