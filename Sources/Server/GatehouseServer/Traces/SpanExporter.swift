import AuthServer
import GatehouseWire
package import HTTPServing
import IdentityProviders
import Logging
import ServiceLifecycle
import Synchronization

/// Sends finished spans to a collector, by OTLP over HTTP. A request only adds to its queue. Its own calls are not
/// traced.
package final class SpanExporter: Sendable {
    /// Waiting spans; further ones are dropped.
    package static let capacity = 4_096
    package static let batch = 512
    /// Of a batch that is not full.
    package static let delay: Duration = .seconds(5)
    package static let attempts = 5
    /// Between two attempts, also if the collector wants a longer pause.
    package static let longestPause: Duration = .seconds(60)
    /// For the spans that wait when the server stops.
    package static let closingLimit: Duration = .seconds(5)

    private struct State {
        /// The batch that is being sent stays in front.
        var waiting: [FinishedSpan] = []
        /// Failed attempts with the front batch.
        var attempts = 0
        var pausesUntil: Duration?
        var isFailing = false
    }

    private let collector: SpanCollector
    private let world: World
    private let spans: Counter
    private let bell = Bell()
    private let state = Mutex(State())

    package init(_ settings: TraceSettings, _ world: World, _ metrics: ServerMetrics) {
        self.world = world
        collector = SpanCollector(
            settings: settings, body: OTLPBatch(service: settings.service, instance: world.requestID()),
            http: world.http, resolve: world.resolve)
        spans = metrics.counter(
            "gatehouse_spans_total", "Spans of traces: exported, dropped because the queue was full, or failed.",
            labels: ["outcome"])
        metrics.gauge("gatehouse_spans_queued", "Spans that wait.") { [weak self] in Double(self?.waiting ?? 0) }
    }

    package var waiting: Int { state.withLock { $0.waiting.count } }

    @Sendable package func add(_ span: FinishedSpan) {
        let count: Int? = state.withLock { state in
            guard state.waiting.count < Self.capacity else { return nil }
            state.waiting.append(span)
            return state.waiting.count
        }
        guard let count else { return spans.increment("dropped") }
        if count == Self.batch { bell.ring() }
    }

    /// Stops a call that runs at shutdown; ``close()`` repeats it.
    var service: PeriodicTask {
        PeriodicTask(every: Self.delay, sleep: wait) {
            try await cancelWhenGracefulShutdown { try await self.work() }
        } failed: { _ in
        }
    }

    private func wait(atMost duration: Duration) async throws {
        let pause = state.withLock { $0.pausesUntil }.map { $0 - world.uptime() } ?? .zero
        if pause > .zero { return try await world.sleep(min(pause, duration)) }
        try await bell.wait(atMost: duration, sleep: world.sleep)
    }

    /// Sends one batch.
    ///
    /// - Returns: The number of spans that no longer wait. 0 also during a pause.
    /// - Throws: `CancellationError`; the batch still waits.
    package func work() async throws -> Int {
        let now = world.uptime()
        let batch: ArraySlice<FinishedSpan> = state.withLock { state in
            if let end = state.pausesUntil, end > now { return [] }
            return state.waiting.prefix(Self.batch)
        }
        guard !batch.isEmpty else { return 0 }
        switch try await collector.send(batch) {
        case .accepted(let rejected): return leave(batch.count, rejected: rejected)
        case .refused(let cause):
            note(failure: cause)
            return leave(batch.count, rejected: batch.count)
        case .later(let pause, let cause):
            note(failure: cause)
            return postpone(batch.count, pause)
        }
    }

    private func leave(_ count: Int, rejected: Int) -> Int {
        let rejected = min(max(0, rejected), count)
        let hasRecovered = state.withLock { state in
            state.waiting.removeFirst(count)
            (state.attempts, state.pausesUntil) = (0, nil)
            defer { if rejected < count { state.isFailing = false } }
            return state.isFailing && rejected < count
        }
        if rejected < count { spans.increment("exported", by: count - rejected) }
        if rejected > 0 { spans.increment("failed", by: rejected) }
        if hasRecovered { world.logger.event(.notice, "traces are exported again") }
        return count
    }

    /// Gives up the batch after the last attempt; the pause then delays the next batch.
    private func postpone(_ count: Int, _ wanted: Duration?) -> Int {
        let attempts = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        let given = attempts >= Self.attempts ? leave(count, rejected: count) : 0
        // Half to one and a half of 1, 2, 4, 8 and 16 seconds, so that nodes do not return together.
        let usual = Duration.seconds(Double(1 << (attempts - 1)) * (0.5 + world.chance()))
        let end = world.uptime() + min(max(usual, wanted ?? .zero), Self.longestPause)
        state.withLock { $0.pausesUntil = end }
        return given
    }

    private func note(failure cause: String) {
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew { world.logger.event(.warning, "traces cannot be exported", [.cause: cause]) }
    }

    /// Sends what waits, and drops what the collector does not take in time. Call after the last request.
    package func close() async {
        state.withLock { $0.pausesUntil = nil }
        do {
            try await limited(to: Self.closingLimit, by: world.sleep) {
                while try await self.work() > 0 {}
            }
        } catch {
            // Ignored: the spans that still wait are counted below.
        }
        let rest = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.count
        }
        guard rest > 0 else { return }
        spans.increment("dropped", by: rest)
        world.logger.event(.warning, "traces were not exported before the end", [.count: "\(rest)"])
    }
}
