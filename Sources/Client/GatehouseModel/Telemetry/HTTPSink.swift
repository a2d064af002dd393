public import Foundation
public import Gatehouse

/// Sends events to the server in batches: `{"app":…,"dropped":0,"events":[{"name":…,"labels":{…},"duration_ms":…}]}`.
///
/// A bounded queue drops and counts the oldest events. Retries are at doubling intervals; an event whose response was
/// lost may count twice. Waiting events are lost when the app exits. After a 404, nothing is sent until the next start.
///
/// ```swift
/// let sink = HTTPSink(url: url, app: "journal", transport: SystemDefaults.transport())
/// let manager = AuthManager(service: service, storage: storage, telemetry: [sink])
/// ```
public final class HTTPSink: TelemetrySink {
    private struct Queue {
        var events: [TelemetryEvent] = []
        var dropped = 0
        var isSending = false
        var isScheduled = false
        var isOff = false
        /// Since the last success.
        var failures = 0

        var isEmpty: Bool { events.isEmpty && dropped == 0 }

        mutating func keep(atMost limit: Int) {
            let excess = events.count - limit
            guard excess > 0 else { return }
            events.removeFirst(excess)
            dropped += excess
        }
    }

    private struct Batch {
        var events: [TelemetryEvent]
        var dropped: Int
    }

    private static let batchLimit = 100

    private let queue = Locked(Queue())
    private let url: URL
    private let app: String?
    private let transport: HTTPTransport
    private let clock: ClientClock
    private let interval: Duration
    private let limit: Int

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - url: The URL to POST batches to: `/v1/events` of the gateway.
    ///   - app: The app's name in the server's counts, at most 64 letters, digits and `_-.:`.
    ///   - interval: The time between an event and its batch, and the first retry interval.
    ///   - limit: The maximum number of waiting events.
    public init(
        url: URL, app: String? = nil, transport: @escaping HTTPTransport, clock: ClientClock = SystemDefaults.clock(),
        interval: Duration = .seconds(30), limit: Int = 200
    ) {
        self.url = url
        self.app = app
        self.transport = transport
        self.clock = clock
        self.interval = interval
        self.limit = limit
    }

    /// Queues the event. The server does not count ``TelemetryEvent/stepIgnored``.
    public func record(_ event: TelemetryEvent) {
        guard event != .stepIgnored else { return }
        queue.withLock { queue in
            guard !queue.isOff else { return }
            queue.events.append(event)
            queue.keep(atMost: limit)
        }
        schedule()
    }

    /// Sends the waiting events until the first failure. Returns immediately if another call is sending.
    public func flush() async {
        let isFree = queue.withLock { queue in
            defer { queue.isSending = true }
            return !queue.isSending
        }
        guard isFree else { return }
        while let batch = next() {
            guard await send(batch) else { break }
        }
        queue.withLock { $0.isSending = false }
        schedule()
    }

    private func next() -> Batch? {
        queue.withLock { queue in
            guard !queue.isEmpty, !queue.isOff else { return nil }
            let batch = Batch(events: Array(queue.events.prefix(Self.batchLimit)), dropped: queue.dropped)
            queue.events.removeFirst(batch.events.count)
            queue.dropped = 0
            return batch
        }
    }

    /// - Returns: Whether to continue.
    private func send(_ batch: Batch) async -> Bool {
        let call = HTTPCall(
            method: "POST", url: url, headers: ["content-type": "application/json"],
            body: Array(json(batch).text.utf8))
        // Ignored: the events wait for the next attempt.
        let status = try? await transport(call).status
        return queue.withLock { queue in
            switch status {
            case .some(200..<300):
                queue.failures = 0
                return true
            case nil, 408, 429, .some(500...):
                queue.failures += 1
                queue.events = batch.events + queue.events
                queue.dropped += batch.dropped
                queue.keep(atMost: limit)
                return false
            case 404: queue = Queue(isOff: true)
            default:
                // The server rejects these events; a later attempt reports how many.
                queue.failures += 1
                queue.dropped += batch.events.count + batch.dropped
            }
            return false
        }
    }

    /// Unless planned already.
    private func schedule() {
        let wait: Duration? = queue.withLock { queue in
            guard !queue.isEmpty, !queue.isOff, !queue.isScheduled else { return nil }
            queue.isScheduled = true
            return interval * (1 << min(queue.failures, 6))
        }
        guard let wait else { return }
        // Holds the sink only while it sends.
        Task { [weak self, clock] in
            // Ignored: this task is never cancelled.
            try? await clock.sleep(wait)
            self?.queue.withLock { $0.isScheduled = false }
            await self?.flush()
        }
    }

    private func json(_ batch: Batch) -> AuthJSON {
        let events = batch.events.map { event in
            var members: AuthJSONObject = [
                "name": .string(event.name), "labels": .object(AuthJSONObject(event.labels.mapValues(AuthJSON.string))),
            ]
            members["duration_ms"] = event.milliseconds.map { .integer(max(0, $0)) }
            return AuthJSON.object(members)
        }
        var body: AuthJSONObject = ["dropped": .integer(Int64(batch.dropped)), "events": .array(events)]
        body["app"] = app.map(AuthJSON.string)
        return .object(body)
    }
}
