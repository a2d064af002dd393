import GatehouseWire
import HTTPServing
import Synchronization
import Testing

@Suite("Rate limits")
struct RateLimiterTests {
    private let start = Instant(seconds: 1_000)

    @Test("A bucket gives its burst, then its refill")
    func burst() async throws {
        let limiter = RateLimiter([RateLimit("token", 60, per: .seconds(60), burst: 3)])
        for _ in 0..<3 { #expect(try await limiter.take("token", key: "a", at: start) == .allowed) }
        #expect(
            try await limiter.take("token", key: "a", at: start)
                == .refused(retryAfter: .seconds(1), bucket: "token"))
        #expect(try await limiter.take("token", key: "b", at: start) == .allowed)
        #expect(try await limiter.take("token", key: "a", at: start + .seconds(1)) == .allowed)
        #expect(try await limiter.take("token", key: "a", at: start + .seconds(1)) != .allowed)
    }

    @Test("Refused requests cost nothing, and a clock that goes back gives nothing")
    func refused() async throws {
        let limiter = RateLimiter([RateLimit("b", 1, per: .seconds(10), burst: 1)])
        #expect(try await limiter.take("b", key: "a", at: start) == .allowed)
        for _ in 0..<5 { #expect(try await limiter.take("b", key: "a", at: start + .seconds(5)) != .allowed) }
        #expect(try await limiter.take("b", key: "a", at: start - .seconds(50)) != .allowed)
    }

    @Test("A bucket without a rule, or with a rule that allows nothing")
    func edges() async throws {
        let limiter = RateLimiter([RateLimit("shut", 0, per: .seconds(60), burst: 0)])
        #expect(try await limiter.take("unknown", key: "a", at: start) == .allowed)
        #expect(
            try await limiter.take("shut", key: "a", at: start)
                == .refused(retryAfter: .seconds(60), bucket: "shut"))
        #expect(limiter.keyCount == 0)
    }

    @Test("Full buckets are forgotten, shut ones are kept through a flood")
    func bounded() async throws {
        let limiter = RateLimiter([RateLimit("b", 60, per: .seconds(60), burst: 2)], capacity: 100)
        for _ in 0..<2 { _ = try await limiter.take("b", key: "shut", at: start) }
        for number in 0..<1_000 { _ = try await limiter.take("b", key: "flood \(number)", at: start) }
        #expect(limiter.keyCount <= 100)
        #expect(try await limiter.take("b", key: "shut", at: start) != .allowed)
        _ = try await limiter.take("b", key: "later", at: start + .seconds(120))
        #expect(limiter.keyCount == 1)
    }

    @Test("A shared limit is also counted across nodes, after the node's own; other limits are not")
    func shared() async throws {
        let asked = Asked()
        let shared = SharedCounts { limit, key, _ in
            asked.add("\(limit.bucket) \(key)")
            return key == "met elsewhere" ? .seconds(7) : nil
        }
        let limiter = RateLimiter(
            [
                RateLimit("failures", 1, per: .seconds(60), burst: 1, isShared: true),
                RateLimit("floods", 1, per: .seconds(60), burst: 1),
            ], shared: shared)
        #expect(
            try await limiter.take("failures", key: "met elsewhere", at: start)
                == .refused(retryAfter: .seconds(7), bucket: "failures"))
        #expect(try await limiter.take("failures", key: "a", at: start) == .allowed)
        // Refused by the node itself.
        #expect(try await limiter.take("failures", key: "a", at: start) != .allowed)
        #expect(try await limiter.take("floods", key: "a", at: start) == .allowed)
        #expect(asked.all == ["failures met elsewhere", "failures a"])
    }
}

private final class Asked: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}
