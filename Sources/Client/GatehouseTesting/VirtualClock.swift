public import Foundation
public import Gatehouse

/// A clock that only a test advances. Tasks that sleep on it never wait for real time.
///
/// ```swift
/// let clock = VirtualClock()
/// let client = try GatehouseClient(url: url, publishableKey: key, storage: MemoryStorage(), clock: clock.clock)
/// clock.advance(by: .seconds(3_601))      // the access token has expired
/// ```
public final class VirtualClock: Sendable {
    private struct Sleeper {
        let wakesAt: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var uptime = Duration.zero
        var sleeps: [Duration] = []
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Locked(State())
    private let start: Date

    /// Creates a clock.
    ///
    /// - Parameter start: The initial wall-clock time.
    public init(startingAt start: Date = Fixtures.date) { self.start = start }

    /// The clock to pass to clients.
    public var clock: ClientClock {
        ClientClock(
            now: { self.now }, uptime: { self.uptime }, sleep: { try await self.sleep($0) })
    }

    /// The current wall-clock time.
    public var now: Date { start + uptime.inSeconds }
    /// How far the clock has advanced.
    public var uptime: Duration { state.withLock { $0.uptime } }
    /// All requested sleeps, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }
    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock and wakes due sleepers in order, whose further sleeps count from the new time.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.uptime += duration
            let due = state.sleepers.filter { $0.value.wakesAt <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.wakesAt, $0.key) < ($1.value.wakesAt, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until at least `count` tasks sleep.
    ///
    /// - Throws: `CancellationError`, for example at a test's time limit.
    public func waitForSleepers(_ count: Int = 1) async throws {
        while sleeperCount < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func sleep(_ duration: Duration) async throws {
        let id = state.withLock { state in
            state.count += 1
            state.sleeps.append(duration)
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(id, duration, $0) }
        } onCancel: {
            cancel(id)
        }
    }

    private func begin(_ id: Int, _ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        let answer: Result<Void, any Error>? = state.withLock { state in
            if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
            guard duration > .zero else { return .success(()) }
            state.sleepers[id] = Sleeper(wakesAt: state.uptime + duration, continuation: continuation)
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state in
            let sleeper = state.sleepers.removeValue(forKey: id)
            // Cancelled before the sleep or after the wake-up. Ids are unique.
            if sleeper == nil { state.cancelled.insert(id) }
            return sleeper
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension Duration {
    fileprivate var inSeconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1_000_000_000_000_000_000
    }
}
