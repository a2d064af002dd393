package import GatehouseWire
import Synchronization

/// A burst of `count`, and as many per `window`.
package struct AttemptLimit: Hashable, Sendable {
    package let bucket: String
    package let count: Int
    package let window: Duration
    /// A success resets the count.
    package let isForgiven: Bool
    /// Other nodes notice a reset by an administrator.
    package let isReset: Bool
    /// After this many failures of a key, further ones do not count against the keys listed after it.
    package let spread: Int

    package init(
        _ bucket: String, _ count: Int, per window: Duration, isForgiven: Bool = false, isReset: Bool = false,
        spread: Int = .max
    ) {
        self.bucket = bucket
        self.count = count
        self.window = window
        self.isForgiven = isForgiven
        self.isReset = isReset || isForgiven
        self.spread = spread
    }

    var interval: Duration { window / max(1, count) }
}

package struct AttemptKey: Hashable, Sendable {
    package let limit: AttemptLimit
    package let text: String

    package init(_ limit: AttemptLimit, _ text: String) {
        self.limit = limit
        self.text = text
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.limit.bucket == other.limit.bucket && one.text == other.text
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(limit.bucket)
        hasher.combine(text)
    }
}

/// Shared by several nodes.
package struct SharedFailures: Sendable {
    /// When the full limit is available again, for each key; nil if nothing was counted.
    let read: @Sendable ([AttemptKey], _ now: Instant) async throws -> [Instant?]
    let add: @Sendable ([AttemptKey], _ now: Instant) async throws -> Void
    let forget: @Sendable ([AttemptKey]) async throws -> Void

    package init(
        read: @escaping @Sendable ([AttemptKey], _ now: Instant) async throws -> [Instant?],
        add: @escaping @Sendable ([AttemptKey], _ now: Instant) async throws -> Void,
        forget: @escaping @Sendable ([AttemptKey]) async throws -> Void
    ) {
        self.read = read
        self.add = add
        self.forget = forget
    }
}

/// Limits attempts whose outcome takes work, such as password checks. Only failures count. A running attempt reserves a
/// slot of each key, so concurrent attempts cannot exceed the limit; without a free slot, a caller waits.
///
/// Concurrent attempts are limited per node.
package final class AttemptLimiter: Sendable {
    private typealias Caller = CheckedContinuation<AttemptVerdict, Never>

    private struct State {
        var ledger: AttemptLedger<Caller>
        var number = 0

        mutating func wait(
            _ number: Int, _ keys: [AttemptKey], _ caller: Caller, at now: Instant
        ) -> AttemptVerdict? {
            // Cancellation takes the same lock, so it precedes this check or finds the waiter.
            if Task.isCancelled { return .gone }
            let verdict = ledger.reserve(keys, at: now)
            guard case .crowded(let key) = verdict else { return verdict }
            let waiting = AttemptLedger<Caller>.Waiting(number: number, keys: keys, waiter: caller)
            return ledger.wait(waiting, for: key) ? nil : verdict
        }
    }

    private let shared: SharedFailures?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - shared: nil for a single node.
    ///   - capacity: Keys to remember.
    package init(shared: SharedFailures? = nil, capacity: Int = 200_000) {
        self.shared = shared
        state = Mutex(State(ledger: AttemptLedger(capacity: capacity)))
    }

    /// A refused key reads the shared counts at most once a second, if another node's success can reset it.
    ///
    /// - Throws: Errors of the shared counts.
    package func look(_ keys: [AttemptKey], at now: Instant) async throws -> RateLimiter.Decision {
        let (own, settled): (AttemptVerdict, [Instant?]?) = state.withLock { state in
            let own = state.ledger.look(keys, at: now)
            guard shared != nil, own == .admitted || state.ledger.asksOthers(keys, at: now) else { return (own, nil) }
            return (own, keys.map { state.ledger.settled($0) })
        }
        guard let shared, let settled else { return own.decision }
        let known = try await shared.read(keys, now)
        return state.withLock { state in
            for (key, (full, before)) in zip(keys, zip(known, settled)) {
                state.ledger.learn(key, fullAt: full, settledBefore: before, at: now)
            }
            return state.ledger.look(keys, at: now).decision
        }
    }

    /// Call ``look(_:at:)`` first.
    ///
    /// - Parameter body: nil means a failure. A thrown error is not counted.
    /// - Throws: ``Refusal`` 429 without a free slot, `CancellationError`, and the errors of `body` and of the shared
    ///   counts.
    package func attempt<Value: Sendable>(
        _ keys: [AttemptKey], now: @Sendable () -> Instant, _ body: () async throws -> Value?
    ) async throws -> Value? {
        try await reserve(keys, at: now())
        defer { finish(keys, at: now()) }
        guard let value = try await body() else {
            try await countFailure(keys, at: now())
            return nil
        }
        let forgiven = state.withLock { $0.ledger.forgive(keys, at: now()) }
        if !forgiven.isEmpty { try await shared?.forget(forgiven) }
        return value
    }

    /// - Returns: For each key the time until an attempt is admitted; zero if it is now.
    /// - Throws: Errors of the shared counts.
    package func waits(for keys: [AttemptKey], at now: Instant) async throws -> [Duration] {
        let settled = state.withLock { state in keys.map { state.ledger.settled($0) } }
        let known = try await shared?.read(keys, now)
        return state.withLock { state in
            if let known {
                for (key, (full, before)) in zip(keys, zip(known, settled)) {
                    state.ledger.learn(key, fullAt: full, settledBefore: before, at: now)
                }
            }
            return keys.map { state.ledger.wait(for: $0, at: now) }
        }
    }

    /// Forgets the failures of these keys, and of this node's whose text begins with a prefix. Other nodes notice at
    /// their next refusal of a key whose limit ``AttemptLimit/isReset``.
    ///
    /// - Throws: Errors of the shared counts.
    package func reset(_ keys: [AttemptKey], prefixed prefixes: [String], at now: Instant) async throws {
        let own = state.withLock { state in prefixes.flatMap { state.ledger.keys(prefixed: $0) } }
        let all = Array(Set<AttemptKey>(keys + own))
        try await shared?.forget(all)
        let called = state.withLock { $0.ledger.reset(all, at: now) }
        for (caller, verdict) in called { caller.resume(returning: verdict) }
    }

    package var keyCount: Int { state.withLock { $0.ledger.keyCount } }

    private func countFailure(_ keys: [AttemptKey], at now: Instant) async throws {
        let counted = state.withLock { state in
            let counted = state.ledger.counted(keys, at: now)
            state.ledger.countFailure(counted, at: now)
            return counted
        }
        // In a separate task, so that failures of disconnected callers count as well.
        guard let shared else { return }
        do {
            try await Task { try await shared.add(counted, now) }.value
        } catch {
            state.withLock { $0.ledger.own(counted) }
            throw error
        }
    }

    private func reserve(_ keys: [AttemptKey], at now: Instant) async throws {
        let (first, number) = state.withLock { state in
            state.number += 1
            return (state.ledger.reserve(keys, at: now), state.number)
        }
        guard case .crowded = first else { return try first.decision.enforce() }
        let verdict = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                let answer = state.withLock { $0.wait(number, keys, caller, at: now) }
                if let answer { caller.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.ledger.leave(number) }?.resume(returning: .gone)
        }
        if verdict == .gone { throw CancellationError() }
        try verdict.decision.enforce()
    }

    private func finish(_ keys: [AttemptKey], at now: Instant) {
        let called = state.withLock { $0.ledger.finish(keys, at: now) }
        for (caller, verdict) in called { caller.resume(returning: verdict) }
    }
}
