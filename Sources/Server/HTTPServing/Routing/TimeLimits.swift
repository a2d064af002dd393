import GatehouseWire
import Synchronization

/// One task sleeps until the earliest limit, so a request in time costs no timer, which would stay until it fires.
package final class TimeLimits: Sendable {
    private struct Watched {
        let end: Duration
        let cancel: @Sendable () -> Void
    }

    private struct State {
        var watched: [UInt64: Watched] = [:]
        var lastNumber: UInt64 = 0
        /// nil without a watcher.
        var wakesAt: Duration?
        /// The newest watcher. Earlier ones end when they wake.
        var watcher: UInt64 = 0
    }

    private let uptime: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - uptime: A monotonic clock.
    ///   - sleep: On that clock.
    package init(
        uptime: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Runs `body` in a separate task, cancels it after `limit` or with the caller, and waits for it to end.
    ///
    /// Still returns a late result, because committed work must not be reported as failed.
    ///
    /// - Throws: ``Refusal/timeout`` if the limit stopped `body`.
    package func limited<Value: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let end = uptime() + limit
        let completion = Completion()
        let task = Self.start {
            defer { completion.hasHappened.store(true, ordering: .releasing) }
            return try await body()
        }
        if completion.hasHappened.load(ordering: .acquiring) { return try await task.value }
        let number = watch(until: end, task.cancel)
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isInTime = forget(number)
        if !isInTime, case .failure(is CancellationError) = result { throw Refusal.timeout }
        return try result.get()
    }

    private final class Completion: Sendable {
        let hasHappened = Atomic(false)
    }

    /// Starts on the calling thread: a body that never waits costs no thread switch and no watchdog.
    private static func start<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26, iOS 26, *) { return Task.immediate(operation: body) }
        return Task(operation: body)
    }

    /// For tests: how often a watcher began.
    package var watchers: UInt64 { state.withLock(\.watcher) }

    package var count: Int { state.withLock(\.watched.count) }

    private func watch(until end: Duration, _ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        let (number, watcher): (UInt64, UInt64?) = state.withLock { state in
            state.lastNumber += 1
            state.watched[state.lastNumber] = Watched(end: end, cancel: cancel)
            if let wakesAt = state.wakesAt, wakesAt <= end { return (state.lastNumber, nil) }
            state.wakesAt = end
            state.watcher += 1
            return (state.lastNumber, state.watcher)
        }
        if let watcher { Task.detached { await self.keepWatch(watcher) } }
        return number
    }

    /// - Returns: false if the limit has passed.
    private func forget(_ number: UInt64) -> Bool {
        state.withLock { $0.watched.removeValue(forKey: number) != nil }
    }

    private func keepWatch(_ watcher: UInt64) async {
        var now = uptime()
        while let end = cancelLateOnes(watcher, at: now) {
            // Ignored: only a cancelled task gets an error, and this one is never cancelled.
            try? await sleep(end - now)
            now = max(uptime(), end)
        }
    }

    /// - Returns: The next limit; nil without one.
    private func cancelLateOnes(_ watcher: UInt64, at now: Duration) -> Duration? {
        let (late, next): ([Watched], Duration?) = state.withLock { state in
            let late = state.watched.filter { $0.value.end <= now }
            for number in late.keys { state.watched[number] = nil }
            guard watcher == state.watcher else { return (Array(late.values), nil) }
            state.wakesAt = state.watched.values.map(\.end).min()
            return (Array(late.values), state.wakesAt)
        }
        for each in late { each.cancel() }
        return next
    }
}
