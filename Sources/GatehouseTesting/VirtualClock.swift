public import Foundation
public import Gatehouse

/// A clock that stands still until a test moves it. Who sleeps on it wakes when it has been moved far enough, and
/// nothing ever waits for real time.
///
/// ```swift
/// let clock = VirtualClock()
/// let client = try AuthClient(url: url, publishableKey: key, storage: MemoryStorage(), clock: clock.clock)
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

    /// - Parameter start: What its wall clock shows until it is moved.
    public init(startingAt start: Date = Fixtures.date) { self.start = start }

    /// What clients take.
    public var clock: ClientClock {
        ClientClock(
            now: { self.now }, uptime: { self.uptime }, sleep: { try await self.sleep($0) })
    }

    /// The start and how far it was moved.
    public var now: Date { start + uptime.inSeconds }
    /// How far it was moved.
    public var uptime: Duration { state.withLock { $0.uptime } }
    /// Every sleep that was asked for, in order.
    public var sleeps: [Duration] { state.withLock { $0.sleeps } }
    /// How many sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves it, and wakes whoever slept up to the new time, the earliest first. A sleep that one of them begins
    /// then counts from the new time.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.uptime += duration
            let due = state.sleepers.filter { $0.value.wakesAt <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.wakesAt, $0.key) < ($1.value.wakesAt, $1.key) }.map(\.value)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns when at least so many sleep.
    ///
    /// - Throws: `CancellationError`.
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
            // The task was cancelled before it slept, or after it woke; ids are used once.
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
