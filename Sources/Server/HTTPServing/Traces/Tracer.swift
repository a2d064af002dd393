package import GatehouseWire
import HTTPTypes
import Hummingbird

/// Begins spans. A server without traces has none, and each place that could begin one checks only for nil.
package final class Tracer: Sendable {
    let now: @Sendable () -> Instant
    let uptime: @Sendable () -> Duration
    let finished: @Sendable (FinishedSpan) -> Void
    private let sampler: TraceSampler
    private let random: @Sendable () -> UInt64

    /// - Parameters:
    ///   - uptime: Monotonic.
    ///   - random: 64 unpredictable bits.
    ///   - finished: Called on any thread; must not block.
    package init(
        _ sampler: TraceSampler, now: @escaping @Sendable () -> Instant, uptime: @escaping @Sendable () -> Duration,
        random: @escaping @Sendable () -> UInt64, finished: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        (self.sampler, self.now, self.uptime, self.random) = (sampler, now, uptime, random)
        self.finished = finished
    }

    /// - Returns: nil if the parent, or else the task's span, is missing or not recorded. The caller ends the span.
    package func begin(_ name: @autoclosure () -> String, _ kind: SpanKind, in parent: ActiveSpan? = nil) -> ActiveSpan?
    {
        guard let parent = parent ?? .current, parent.isRecording else { return nil }
        return child(of: parent, name(), kind)
    }

    private func child(of parent: ActiveSpan, _ name: String, _ kind: SpanKind) -> ActiveSpan {
        let context = TraceContext(
            trace: parent.context.trace, span: newSpan(), isSampled: parent.isRecording, state: parent.context.state)
        return ActiveSpan(context, parent: parent.context.span, isParentRemote: false, name, kind, self)
    }

    private func root(_ name: String, _ kind: SpanKind) -> ActiveSpan {
        let trace = TraceID(high: notZero(), low: random())
        let context = TraceContext(
            trace: trace, span: newSpan(), isSampled: sampler.samples(trace.low), state: nil)
        return ActiveSpan(context, parent: nil, isParentRemote: false, name, kind, self)
    }

    /// The task's span is the parent if the pages make the request in this process.
    func begin(_ request: Request, route: String, _ context: ServerContext) -> ActiveSpan {
        let known = UnknownPaths.known(request.method)
        let method = known == HTTPRequest.Method.other.rawValue ? "_OTHER" : known
        let span = requestSpan("\(method) \(route)", request, context)
        span.set(.method, method)
        span.set(.route, route)
        span.set(.requestID, context.requestID)
        return span
    }

    private func requestSpan(_ name: String, _ request: Request, _ context: ServerContext) -> ActiveSpan {
        if let parent = ActiveSpan.current { return child(of: parent, name, .inside) }
        let parents = request.headers[values: .traceparent]
        guard parents.count == 1,
            let caller = TraceContext(traceparent: parents[0], tracestate: request.headers[values: .tracestate])
        else { return root(name, .server) }
        let (isSampled, isTrusted) = sampler.decision(on: caller, peer: context.peerAddress, random: random())
        let own = TraceContext(
            trace: caller.trace, span: newSpan(), isSampled: isSampled, state: isTrusted ? caller.state : nil)
        return ActiveSpan(own, parent: caller.span, isParentRemote: true, name, .server, self)
    }

    fileprivate func span(_ name: () -> String, _ kind: SpanKind, beginsTrace: Bool) -> ActiveSpan? {
        guard let parent = ActiveSpan.current else { return beginsTrace ? root(name(), kind) : nil }
        return parent.isRecording ? child(of: parent, name(), kind) : nil
    }

    private func newSpan() -> SpanID { SpanID(number: notZero()) }

    private func notZero() -> UInt64 {
        let number = random()
        return number == 0 ? 1 : number
    }
}

extension Tracer? {
    /// Runs `body` in a span of the task's trace. Its span is nil if the trace is not recorded, or traces are off.
    ///
    /// - Parameters:
    ///   - beginsTrace: Outside of a trace, begins one.
    ///   - failure: The type of a thrown error; nil for one that is no failure.
    package func inSpan<Value>(
        _ name: @autoclosure () -> String, _ kind: SpanKind, beginsTrace: Bool = false,
        failure: (any Error) -> String? = { "\(type(of: $0))" }, _ body: (ActiveSpan?) async throws -> Value
    ) async rethrows -> Value {
        guard let self, let span = self.span(name, kind, beginsTrace: beginsTrace) else {
            return try await body(nil)
        }
        defer { span.end() }
        return try await ActiveSpan.$current.withValue(span) {
            do {
                return try await body(span.isRecording ? span : nil)
            } catch {
                if let type = failure(error) { span.fail(type) }
                throw error
            }
        }
    }
}
