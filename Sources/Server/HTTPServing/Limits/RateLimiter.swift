package import GatehouseWire
import Synchronization

/// A token bucket: starts with `burst` tokens and gains `count` per `window`.
package struct RateLimit: Hashable, Sendable {
    package let bucket: String
    package let count: Int
    package let window: Duration
    package let burst: Int
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

/// Used only after the node's own count allowed the request, so a flood does not reach the store.
package struct SharedCounts: Sendable {
    /// nil on success, otherwise the wait for a token.
    let take: @Sendable (RateLimit, _ key: String, _ now: Instant) async throws -> Duration?

    package init(take: @escaping @Sendable (RateLimit, _ key: String, _ now: Instant) async throws -> Duration?) {
        self.take = take
    }
}

/// Memory is bounded: keys with a full bucket are forgotten, and at capacity the fullest half, so a flood from many
/// addresses cannot unlock an exhausted key.
package final class RateLimiter: Sendable {
    package enum Decision: Equatable, Sendable {
        case allowed
        case refused(retryAfter: Duration, bucket: String)
    }

    private let buckets: [String: Bucket]
    private let shared: SharedCounts?

    /// - Parameters:
    ///   - shared: nil for a single node.
    ///   - capacity: Keys per bucket.
    package init(_ limits: [RateLimit], shared: SharedCounts? = nil, capacity: Int = 100_000) {
        buckets = Dictionary(limits.map { ($0.bucket, Bucket($0, capacity: capacity)) }) { _, last in last }
        self.shared = shared
    }

    /// Takes a token. An unknown bucket allows everything.
    ///
    /// - Throws: Errors of the shared counts.
    package func take(_ bucket: String, key: String, at now: Instant) async throws -> Decision {
        guard let counted = buckets[bucket] else { return .allowed }
        let own = counted.take(key, at: now)
        guard own == .allowed, counted.limit.isShared, let shared else { return own }
        guard let wait = try await shared.take(counted.limit, key, now) else { return .allowed }
        return .refused(retryAfter: wait, bucket: bucket)
    }

    /// - Throws: ``Refusal`` 429 if the bucket is empty, and the errors of ``take(_:key:at:)``.
    package func require(_ bucket: String, key: String, at now: Instant) async throws {
        try await take(bucket, key: key, at: now).enforce()
    }

    /// The time per token; nil if the bucket gains none, zero if it is unknown.
    package func spacing(of bucket: String) -> Duration? {
        guard let limit = buckets[bucket]?.limit else { return .zero }
        return limit.count > 0 ? limit.window / limit.count : nil
    }

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

    func take(_ key: String, at now: Instant) -> RateLimiter.Decision {
        state.withLock { state in
            var level = state.levels[key] ?? Level(tokens: Double(limit.burst), at: now)
            level.tokens = tokens(level, at: now)
            // A clock that was set back neither adds nor removes tokens.
            level.at = now
            guard level.tokens >= 1 else {
                // A limit of zero stores nothing.
                if state.levels[key] != nil { state.levels[key] = level }
                let wait = limit.count > 0 ? (1 - level.tokens) / limit.rate : limit.window.fractionalSeconds
                return .refused(retryAfter: .seconds(wait), bucket: limit.bucket)
            }
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
        let isDue = now >= state.nextSweep || state.nextSweep > now + limit.window
        guard state.levels.count >= capacity || isDue else { return }
        state.nextSweep = now + limit.window
        state.levels = state.levels.filter { tokens($0.value, at: now) < Double(limit.burst) }
        guard state.levels.count >= capacity else { return }
        let emptiest = state.levels.map { (key: $0.key, tokens: tokens($0.value, at: now)) }
            .sorted { $0.tokens < $1.tokens }.prefix(capacity / 2)
        let kept = Set(emptiest.map(\.key))
        state.levels = state.levels.filter { kept.contains($0.key) }
    }
}
