public import Foundation
public import Gatehouse

/// Sends events in batches, as `{"dropped":0,"events":[{"name":…,"labels":{…},"duration_ms":…}]}`.
///
/// Events wait in a bounded queue. Events beyond the limit and undelivered batches are dropped and counted, so
/// telemetry neither blocks the app nor uses unbounded memory.
///
/// ```swift
/// let sink = HTTPSink(url: url, transport: SystemDefaults.transport())
/// let manager = AuthManager(service: service, storage: storage, telemetry: [sink])
/// Task { await sink.run() }
/// ```
public final class HTTPSink: TelemetrySink {
    private struct Queue {
        var events: [TelemetryEvent] = []
        var dropped = 0
    }

    private let queue = Locked(Queue())
    private let url: URL
    private let transport: HTTPTransport
    private let limit: Int

    /// Creates a sink without waiting events.
    ///
    /// - Parameters:
    ///   - url: The URL to POST batches to.
    ///   - limit: The maximum number of waiting events.
    public init(url: URL, transport: @escaping HTTPTransport, limit: Int = 200) {
        self.url = url
        self.transport = transport
        self.limit = limit
    }

    public func record(_ event: TelemetryEvent) {
        queue.withLock { queue in
            if queue.events.count < limit { queue.events.append(event) } else { queue.dropped += 1 }
        }
    }

    /// Sends the waiting events in one call, if there are any. Without a response of 2xx they are dropped and counted.
    public func flush() async {
        let batch = queue.withLock { queue in
            defer { queue = Queue() }
            return queue
        }
        guard !batch.events.isEmpty || batch.dropped > 0 else { return }
        let call = HTTPCall(
            method: "POST", url: url, headers: ["content-type": "application/json"],
            body: Array(Self.json(batch.events, dropped: batch.dropped).text.utf8))
        // Lost: why a batch was not delivered. The next batch contains the number of dropped events.
        let reply = try? await transport(call)
        if let reply, (200..<300).contains(reply.status) { return }
        queue.withLock { $0.dropped += batch.events.count + batch.dropped }
    }

    /// Sends waiting events repeatedly until the task is cancelled.
    public func run(every interval: Duration = .seconds(30), clock: ClientClock = SystemDefaults.clock()) async {
        while !Task.isCancelled {
            await flush()
            // Cancelled.
            do { try await clock.sleep(interval) } catch { return }
        }
    }

    private static func json(_ events: [TelemetryEvent], dropped: Int) -> AnyJSON {
        let list = events.map { event in
            var members: JSONObject = [
                "name": .string(event.name), "labels": .object(JSONObject(event.labels.mapValues(AnyJSON.string))),
            ]
            members["duration_ms"] = event.milliseconds.map(AnyJSON.integer)
            return AnyJSON.object(members)
        }
        return ["dropped": .integer(Int64(dropped)), "events": .array(list)]
    }
}
