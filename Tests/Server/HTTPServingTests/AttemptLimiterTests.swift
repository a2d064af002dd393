import GatehouseWire
import HTTPServing
import Synchronization
import Testing

@Suite("Limits of failed attempts", .timeLimit(.minutes(5)))
struct AttemptLimiterTests {
    private let start = Instant(seconds: 1_000)
    private let limit = AttemptLimit("b", 3, per: .seconds(60))

    private func attempt(
        _ limiter: AttemptLimiter, _ keys: [AttemptKey], isRight: Bool = false, after seconds: Int = 0
    ) async throws -> Bool {
        let now = start + .seconds(seconds)
        try await limiter.look(keys, at: now).enforce()
        return try await limiter.attempt(keys, now: { now }) { isRight ? true : nil } ?? false
    }

    @Test("Three failures shut a key until an interval has passed; successes and cancellations cost nothing")
    func failures() async throws {
        let (limiter, keys) = (AttemptLimiter(), [AttemptKey(limit, "a")])
        for _ in 0..<20 { #expect(try await attempt(limiter, keys, isRight: true)) }
        for _ in 0..<20 {
            await #expect(throws: Unfinished.self) {
                try await limiter.attempt(keys, now: { start }) { () -> Bool? in throw Unfinished() }
            }
        }
        #expect(limiter.keyCount == 0)
        for _ in 0..<3 { #expect(try await !attempt(limiter, keys)) }
        #expect(try await limiter.look(keys, at: start) == .refused(retryAfter: .seconds(20), bucket: "b"))
        await #expect(throws: Refusal.self) {
            try await limiter.attempt(keys, now: { start }) { () -> Bool? in
                Issue.record("It is shut")
                return true
            }
        }
        #expect(try await limiter.look([AttemptKey(limit, "other")], at: start) == .allowed)
        #expect(try await attempt(limiter, keys, isRight: true, after: 20))
        #expect(try await !attempt(limiter, keys, after: 20))
        #expect(try await limiter.look(keys, at: start + .seconds(20)) != .allowed)
    }

    @Test("Of a hundred concurrent guesses only the allowed failures are made; a hundred right ones all pass")
    func parallel() async throws {
        let (limiter, keys) = (AttemptLimiter(), [AttemptKey(limit, "a")])
        let making = Making()
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await limiter.attempt(keys, now: { start }) {
                        await making.one()
                        return true
                    } ?? false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(right == 40)
        #expect(making.most <= 3)
        let guesses = Making()
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    do {
                        _ = try await limiter.attempt(keys, now: { start }) { () -> Bool? in
                            await guesses.one()
                            return nil
                        }
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused == 37)
        #expect(guesses.all == 3)
    }

    @Test("A waiter that leaves takes no place, and beyond the waiting room there is a refusal")
    func waiting() async throws {
        let one = [AttemptKey(AttemptLimit("b", 1, per: .seconds(60)), "a")]
        let limiter = AttemptLimiter()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (started, starting) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await limiter.attempt(one, now: { start }) {
                starting.finish()
                for await _ in gate {}
                return true
            }
        }
        for await _ in started {}
        let gone = Task { try await limiter.attempt(one, now: { start }) { true } }
        gone.cancel()
        await #expect(throws: CancellationError.self) { _ = try await gone.value }
        let refused = Making()
        let all = (0..<60).map { _ in
            Task {
                do { _ = try await limiter.attempt(one, now: { start }) { true } } catch { await refused.one() }
            }
        }
        while refused.all < 10 { await Task.yield() }
        opening.finish()
        #expect(try await first.value == true)
        for task in all { await task.value }
        #expect(refused.all == 10)
        #expect(limiter.keyCount == 0)
    }

    @Test("From its spread on, a key's failures count only for it; a success forgives the forgivable ones")
    func spread() async throws {
        let pair = AttemptKey(AttemptLimit("pair", 4, per: .seconds(60), isForgiven: true, spread: 2), "p")
        let account = AttemptKey(AttemptLimit("account", 3, per: .seconds(60)), "a")
        let limiter = AttemptLimiter()
        for _ in 0..<4 { #expect(try await !attempt(limiter, [pair, account])) }
        #expect(try await limiter.look([pair], at: start) != .allowed)
        #expect(try await attempt(limiter, [account], isRight: true))
        #expect(try await !attempt(limiter, [account]))
        #expect(try await limiter.look([account], at: start) == .refused(retryAfter: .seconds(20), bucket: "account"))
        #expect(try await attempt(limiter, [pair], isRight: true, after: 15))
        #expect(try await limiter.look([pair], at: start + .seconds(15)) == .allowed)
        #expect(limiter.keyCount == 1)
    }

    @Test("Failures of a clock that was a year ahead shut a key for one interval, and it asks the other nodes again")
    func ahead() async throws {
        let (limiter, keys) = (AttemptLimiter(), [AttemptKey(limit, "a")])
        let year = 365 * 86_400
        for _ in 0..<3 { #expect(try await !attempt(limiter, keys, after: year)) }
        #expect(try await limiter.look(keys, at: start) == .refused(retryAfter: .seconds(20), bucket: "b"))
        #expect(try await attempt(limiter, keys, isRight: true, after: 20))
        #expect(try await !attempt(limiter, keys, after: 20))
        #expect(try await limiter.look(keys, at: start + .seconds(20)) != .allowed)
        let (table, shared) = (SharedTable(), [AttemptKey(forgiven, "a")])
        let here = AttemptLimiter(shared: table.failures())
        for _ in 0..<3 { #expect(try await !attempt(here, shared, after: year)) }
        #expect(try await here.look(shared, at: start + .seconds(year)) != .allowed)
        // Forgiven at another node.
        table.clear()
        #expect(try await here.look(shared, at: start) == .allowed)
    }

    @Test("A flood of keys opens no shut key, and a limit of zero allows nothing")
    func bounded() async throws {
        let limiter = AttemptLimiter(capacity: 100)
        for _ in 0..<3 { _ = try await attempt(limiter, [AttemptKey(limit, "shut")]) }
        for number in 0..<1_000 { _ = try await attempt(limiter, [AttemptKey(limit, "\(number)")]) }
        #expect(limiter.keyCount <= 100)
        #expect(try await limiter.look([AttemptKey(limit, "shut")], at: start) != .allowed)
        let nothing = AttemptKey(AttemptLimit("shut", 0, per: .seconds(60)), "a")
        #expect(try await limiter.look([nothing], at: start) == .refused(retryAfter: .seconds(60), bucket: "shut"))
    }

    @Test("A success reads the other nodes' count once and writes nothing, a failure writes once")
    func shared() async throws {
        let shut = AttemptKey(limit, "met elsewhere")
        let table = SharedTable([shut: start + .seconds(60)])
        let limiter = AttemptLimiter(shared: table.failures())
        let keys = [AttemptKey(forgiven, "a"), AttemptKey(limit, "b")]
        #expect(try await attempt(limiter, keys, isRight: true))
        #expect(try await !attempt(limiter, keys))
        #expect(try await attempt(limiter, keys, isRight: true))
        #expect(try await limiter.look([shut], at: start) == .refused(retryAfter: .seconds(20), bucket: "b"))
        // This node knows it by now.
        #expect(try await limiter.look([shut], at: start) != .allowed)
        let read = #"read ["a", "b"]"#
        #expect(
            table.asked == [read, read, #"add ["a", "b"]"#, read, #"forget ["a"]"#, #"read ["met elsewhere"]"#])
    }

    private var forgiven: AttemptLimit { AttemptLimit("f", 3, per: .seconds(60), isForgiven: true) }

    @Test("What a success at another node has forgiven is forgiven here, by one read a second however many ask")
    func forgivenElsewhere() async throws {
        let (table, keys) = (SharedTable(), [AttemptKey(forgiven, "a")])
        let (here, there) = (AttemptLimiter(shared: table.failures()), AttemptLimiter(shared: table.failures()))
        for _ in 0..<2 { #expect(try await !attempt(here, keys)) }
        #expect(try await attempt(there, keys, isRight: true))
        for _ in 0..<2 { #expect(try await !attempt(here, keys)) }
        #expect(try await there.look(keys, at: start) == .allowed)
        #expect(try await !attempt(here, keys))
        // Admitted before the third failure.
        #expect(try await there.attempt(keys, now: { start }) { true } == true)
        let reads = table.asked.count
        #expect(try await here.look(keys, at: start) == .allowed)
        for _ in 0..<3 { #expect(try await !attempt(here, keys)) }
        for second in [1, 2] {
            for _ in 0..<50 { #expect(try await here.look(keys, at: start + .seconds(second)) != .allowed) }
        }
        // The first read, a read and a write for each failure, and one per second.
        #expect(table.asked.count == reads + 1 + 3 * 2 + 2)
    }

    @Test("What the table has yet to hear of is not forgotten here")
    func notYetShared() async throws {
        let (table, keys) = (SharedTable(), [AttemptKey(forgiven, "a")])
        let limiter = AttemptLimiter(shared: table.failures())
        #expect(try await !attempt(limiter, keys))
        // A failure while the table is read.
        table.whileReading { _ = try await limiter.attempt(keys, now: { start }) { () -> Bool? in nil } }
        #expect(try await limiter.look(keys, at: start) == .allowed)
        #expect(try await limiter.attempt(keys, now: { start }) { () -> Bool? in nil } == nil)
        await #expect(throws: Refusal.self) { try await limiter.attempt(keys, now: { start }) { true } }
        // Failures that could not be written.
        let other = [AttemptKey(forgiven, "b")]
        table.refusesWrites()
        for _ in 0..<3 { await #expect(throws: Unfinished.self) { try await attempt(limiter, other) } }
        for second in 0..<9 { #expect(try await limiter.look(other, at: start + .seconds(second)) != .allowed) }
    }
}

/// Shared by nodes, like a database.
private final class SharedTable: Sendable {
    private struct State {
        var full: [AttemptKey: Instant]
        var asked: [String] = []
        var refusesWrites = false
        var whileReading: (@Sendable () async throws -> Void)?
    }

    private let state: Mutex<State>

    init(_ full: [AttemptKey: Instant] = [:]) { state = Mutex(State(full: full)) }

    var asked: [String] { state.withLock { $0.asked } }
    func clear() { state.withLock { $0.full = [:] } }
    func refusesWrites() { state.withLock { $0.refusesWrites = true } }

    /// Once, between the read and the response.
    func whileReading(_ body: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.whileReading = body }
    }

    func failures() -> SharedFailures {
        SharedFailures(
            read: { keys, _ in
                let (found, body) = self.state.withLock { state in
                    defer { state.whileReading = nil }
                    state.asked.append("read \(keys.map(\.text))")
                    return (keys.map { state.full[$0] }, state.whileReading)
                }
                try await body?()
                return found
            },
            add: { keys, now in
                try self.state.withLock { state in
                    if state.refusesWrites { throw Unfinished() }
                    state.asked.append("add \(keys.map(\.text))")
                    for key in keys {
                        let interval = key.limit.window / key.limit.count
                        state.full[key] = max(state.full[key] ?? now, now) + interval
                    }
                }
            },
            forget: { keys in
                self.state.withLock { state in
                    state.asked.append("forget \(keys.map(\.text))")
                    for key in keys { state.full[key] = nil }
                }
            })
    }
}

private struct Unfinished: Error {}

/// Counts concurrent workers.
private final class Making: Sendable {
    private let state = Mutex<(now: Int, most: Int, all: Int)>((0, 0, 0))

    var most: Int { state.withLock { $0.most } }
    var all: Int { state.withLock { $0.all } }

    func one() async {
        state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
        for _ in 0..<5 { await Task.yield() }
        state.withLock { $0.now -= 1 }
    }
}
