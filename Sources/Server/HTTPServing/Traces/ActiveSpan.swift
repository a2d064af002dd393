package import GatehouseWire
import Synchronization

/// OTLP's numbers.
package enum SpanKind: Int64, Sendable {
    case inside = 1
    case server, client
}

/// The only attributes of spans, named as in OpenTelemetry's semantic conventions. Never add tokens, addresses of users
/// or clients, bodies, paths with values, or queries.
package enum SpanKey: String, Sendable {
    case method = "http.request.method"
    case route = "http.route"
    case status = "http.response.status_code"
    case errorType = "error.type"
    case databaseSystem = "db.system.name"
    case databaseOperation = "db.operation.name"
    case databaseSummary = "db.query.summary"
    case databaseStatus = "db.response.status_code"
    case serverAddress = "server.address"
    case serverPort = "server.port"
    case urlTemplate = "url.template"
    case requestID = "gatehouse.request_id"
    case errorCode = "gatehouse.error_code"
    case hashAlgorithm = "gatehouse.hash.algorithm"
    case hashWait = "gatehouse.hash.wait_us"
    case mailKind = "gatehouse.mail.kind"
    case mailOutcome = "gatehouse.mail.outcome"
}

package enum SpanValue: Hashable, Sendable {
    case text(String)
    case number(Int64)
}

package struct FinishedSpan: Sendable {
    package let context: TraceContext
    /// nil for the first of a trace.
    package let parent: SpanID?
    /// Another process began the parent.
    package let isParentRemote: Bool
    package let name: String
    package let kind: SpanKind
    package let beganAt: Instant
    package let took: Duration
    package let attributes: [(key: SpanKey, value: SpanValue)]
    package let hasFailed: Bool

    package subscript(key: SpanKey) -> SpanValue? { attributes.first { $0.key == key }?.value }
}

/// A span that has begun. Only ``Tracer`` creates it, so there is none while traces are off.
package final class ActiveSpan: Sendable {
    /// Of the task, and of tasks that it starts.
    @TaskLocal package static var current: ActiveSpan?

    package let context: TraceContext
    let parent: SpanID?
    let isParentRemote: Bool
    private let name: String
    private let kind: SpanKind
    private let beganAt: Instant
    private let started: Duration
    private let tracer: Tracer
    private let state = Mutex(State())

    private struct State {
        var attributes: [(key: SpanKey, value: SpanValue)] = []
        var hasFailed = false
        var hasEnded = false
    }

    init(
        _ context: TraceContext, parent: SpanID?, isParentRemote: Bool, _ name: String, _ kind: SpanKind,
        _ tracer: Tracer
    ) {
        (self.context, self.parent, self.isParentRemote) = (context, parent, isParentRemote)
        (self.name, self.kind, self.tracer) = (name, kind, tracer)
        (beganAt, started) = (tracer.now(), tracer.uptime())
    }

    package var isRecording: Bool { context.isSampled }
    /// nil if the span is not recorded.
    package var recordedTrace: String? { isRecording ? context.trace.text : nil }
    package var elapsed: Duration { tracer.uptime() - started }

    package func set(_ key: SpanKey, _ value: SpanValue) {
        guard isRecording else { return }
        state.withLock { $0.attributes.append((key, value)) }
    }

    package func set(_ key: SpanKey, _ text: String) { set(key, .text(text.cut(to: 256))) }

    /// Sets the span's status.
    ///
    /// - Parameter type: A name of the program's own, never an error's text. The first one stays.
    package func fail(_ type: String) {
        guard isRecording else { return }
        state.withLock { state in
            guard !state.hasFailed else { return }
            state.hasFailed = true
            state.attributes.append((.errorType, .text(type.cut(to: 64))))
        }
    }

    /// Only the first call has an effect.
    package func end() {
        guard isRecording else { return }
        let ended: State? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let ended else { return }
        tracer.finished(
            FinishedSpan(
                context: context, parent: parent, isParentRemote: isParentRemote, name: name, kind: kind,
                beganAt: beganAt, took: elapsed, attributes: ended.attributes, hasFailed: ended.hasFailed))
    }
}
