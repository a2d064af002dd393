import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

/// A tracer whose spans stay in memory. Its random numbers are 1, 2, 3 and so on, so each is below every ratio but 0,
/// unless a test gives others.
private final class Recorder: Sendable {
    let router = TestRouter()
    private let finished = Mutex<[FinishedSpan]>([])
    private let count = Mutex<UInt64>(0)
    private let random: UInt64?

    init(random: UInt64? = nil) { self.random = random }

    /// In the order of their ends.
    var spans: [FinishedSpan] { finished.withLock { $0 } }

    func tracer(_ ratio: Double = 1, followsCallers: Bool = true, callers: [IPNetwork] = []) -> Tracer {
        Tracer(
            TraceSampler(ratio: ratio, followsCallers: followsCallers, callers: callers), now: router.clock.now,
            uptime: router.clock.uptime,
            random: {
                self.random
                    ?? self.count.withLock { count in
                        count += 1
                        return count
                    }
            },
            finished: { span in self.finished.withLock { $0.append(span) } })
    }

    func table(_ tracer: Tracer?, _ routes: [Route], requests: RequestLog = RequestLog()) -> RouteTable {
        let runtime = ServerRuntime(
            now: router.clock.now, uptime: router.clock.uptime, sleep: { _ in }, makeRequestID: { "made-here" },
            metrics: router.metrics, requests: requests, tracer: tracer, limiter: nil,
            clientAddress: ClientAddressRule(.peer))
        return RouteTable(
            group: RouteGroup(prefixes: ["/v1"], format: .auth, crossOrigin: nil), runtime: runtime, routes)
    }
}

@Suite("Traces of requests")
struct TracerTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let loopback = IPNetwork("192.0.2.0/24")!

    private func caller(sampled: Bool, state: String? = nil) -> HTTPFields {
        var fields: HTTPFields = [.traceparent: "00-\(Self.trace)-00f067aa0ba902b7-\(sampled ? "01" : "00")"]
        if let state { fields[.tracestate] = state }
        return fields
    }

    @Test("A request's span has its pattern, method, status, ID and code, and neither path nor query")
    func request() async throws {
        let recorder = Recorder()
        let log = RequestLog()
        let table = recorder.table(
            recorder.tracer(),
            [
                Route(.get, "/user/{id}") { _, _ in
                    recorder.router.clock.advance(by: .milliseconds(2))
                    return Answer.empty()
                },
                Route(.post, "/user/{id}") { _, _ in throw Refusal(.forbidden, .notAdmin, "hidden words") },
                Route(.put, "/user/{id}") { _, _ in throw CancellationError() },
                Route(.get, "/probe") { _, _ in Answer.empty() }.unlogged,
            ], requests: log)
        let began = recorder.router.clock.now()
        _ = try await recorder.router.send(.get, "/v1/user/hidden?token=hidden", [.requestID: "mine"], to: table)
        _ = try await recorder.router.send(.post, "/v1/user/hidden", to: table)
        _ = try await recorder.router.send(.put, "/v1/user/hidden", to: table)
        _ = try await recorder.router.send(.get, "/v1/probe", to: table)
        _ = try await recorder.router.send(HTTPRequest.Method("HIDDEN")!, "/v1/hidden", to: table)
        let spans = recorder.spans
        #expect(
            spans.map(\.name) == ["GET /v1/user/{id}", "POST /v1/user/{id}", "PUT /v1/user/{id}", "_OTHER none"])
        #expect(spans.map { $0[.status] } == [204, 403, 500, 404].map { .number($0) })
        #expect(spans.map(\.hasFailed) == [false, false, true, false])
        #expect(spans.map { $0[.errorType] } == [nil, nil, .text("500"), nil])
        #expect(spans[0][.requestID] == .text("mine") && spans[1][.errorCode] == .text("not_admin"))
        #expect(spans[0].kind == .server && spans[0].beganAt == began && spans[0].took == .milliseconds(2))
        #expect(spans.allSatisfy { $0.parent == nil } && Set(spans.map(\.context.trace)).count == 4)
        #expect(!"\(spans.map(\.attributes))".contains("hidden"))
        #expect(log.requests(after: 0).map(\.traceID) == spans.map(\.context.trace.text))
    }

    @Test("Log lines of a recorded request have its trace's ID", arguments: [1.0, 0])
    func logLines(ratio: Double) async throws {
        let recorder = Recorder()
        let lines = LogLines()
        let now = recorder.router.clock.now
        let logger = Logger(label: "test") { _ in
            var handler = LineLogHandler(
                label: "test", format: .json, logLevel: .debug, now: now, write: { lines.append($0) })
            handler.metadataProvider = .traces
            return handler
        }
        let table = recorder.table(
            recorder.tracer(ratio),
            [
                Route(.get, "/a") { _, _ in
                    logger.event(.warning, "elsewhere in the program")
                    return Answer.empty()
                }
            ])
        _ = try await recorder.router.send(.get, "/v1/a", to: table)
        logger.event(.warning, "outside of requests")
        let id = recorder.spans.first?.context.trace.text
        #expect((id != nil) == (ratio == 1))
        let expected = id.map { #""metadata":{"trace_id":"\#($0)"}"# }
        #expect(lines.text.contains("elsewhere in the program"))
        #expect(expected.map { lines.text.contains($0) } ?? !lines.text.contains("trace_id"))
        #expect(lines.text.split(separator: "\n").count { $0.contains("trace_id") } == (id == nil ? 0 : 1))
    }

    @Test("Without a tracer, and in an unrecorded trace, nothing begins a span", arguments: [true, false])
    func off(hasTracer: Bool) async throws {
        let recorder = Recorder()
        let tracer = hasTracer ? recorder.tracer(0) : nil
        let seen = Mutex<[Bool]>([])
        let table = recorder.table(
            tracer,
            [
                Route(.get, "/a") { _, _ in
                    await tracer.inSpan("work", .inside, beginsTrace: true) { span in
                        seen.withLock { $0 += [span == nil, ActiveSpan.current == nil] }
                    }
                    #expect(tracer?.begin("more", .client) == nil)
                    return Answer.empty()
                }
            ])
        _ = try await recorder.router.send(.get, "/v1/a", to: table)
        #expect(recorder.spans.isEmpty)
        // An unrecorded trace still passes its flag on.
        #expect(seen.withLock { $0 } == [true, !hasTracer])
    }

    @Test("A caller's trace continues; only a trusted caller's flag and tracestate matter")
    func callers() async throws {
        // Whether the server would record, whether the caller is trusted and sampled, and the results.
        let rows: [(ratio: Double, isTrusted: Bool, flag: Bool, isRecorded: Bool)] = [
            (1, false, false, true), (1, false, true, true), (0, false, true, false), (0, false, false, false),
            (1, true, false, false), (1, true, true, true), (0, true, true, true), (0, true, false, false),
        ]
        for row in rows {
            let recorder = Recorder()
            let outgoing = Mutex<[String: String]>([:])
            let table = recorder.table(
                recorder.tracer(row.ratio, callers: row.isTrusted ? [Self.loopback] : []),
                [
                    Route(.get, "/a") { _, _ in
                        outgoing.withLock { $0 = ActiveSpan.current?.context.headers ?? [:] }
                        return Answer.empty()
                    }
                ])
            _ = try await recorder.router.send(.get, "/v1/a", caller(sampled: row.flag, state: "x=keep"), to: table)
            #expect(recorder.spans.count == (row.isRecorded ? 1 : 0), "\(row)")
            let headers = outgoing.withLock { $0 }
            #expect(headers["traceparent"]?.hasPrefix("00-\(Self.trace)-") == true)
            #expect(headers["traceparent"]?.hasSuffix(row.isRecorded ? "-01" : "-00") == true, "\(row)")
            #expect(headers["tracestate"] == (row.isTrusted ? "x=keep" : nil))
            for span in recorder.spans {
                #expect(span.context.trace.text == Self.trace && span.isParentRemote)
                #expect(span.parent?.text == "00f067aa0ba902b7")
            }
        }
    }

    @Test("A stranger's choice of an ID does not decide whether its trace is recorded")
    func chosenID() async throws {
        let routes = [Route(.get, "/a") { _, _ in Answer.empty() }]
        // The lowest ID would always be recorded by its share, and the random number never is.
        let low: HTTPFields = [.traceparent: "00-00000000000000010000000000000000-00f067aa0ba902b7-01"]
        let recorder = Recorder(random: .max)
        _ = try await recorder.router.send(.get, "/v1/a", low, to: recorder.table(recorder.tracer(0.5), routes))
        #expect(recorder.spans.isEmpty)
        let trusting = recorder.tracer(0.5, followsCallers: false, callers: [Self.loopback])
        _ = try await recorder.router.send(.get, "/v1/a", low, to: recorder.table(trusting, routes))
        #expect(recorder.spans.count == 1)
    }

    @Test("Malformed or repeated headers begin a new trace")
    func malformed() async throws {
        let recorder = Recorder()
        let table = recorder.table(recorder.tracer(), [Route(.get, "/a") { _, _ in Answer.empty() }])
        var twice = caller(sampled: true)
        twice.append(HTTPField(name: .traceparent, value: "00-\(Self.trace)-00f067aa0ba902b8-01"))
        for headers: HTTPFields in [twice, [.traceparent: "00-\(Self.trace.uppercased())-00f067aa0ba902b7-01"]] {
            _ = try await recorder.router.send(.get, "/v1/a", headers, to: table)
        }
        #expect(recorder.spans.count == 2)
        #expect(recorder.spans.allSatisfy { $0.parent == nil && $0.context.trace.text != Self.trace })
    }

    @Test("The share of recorded traces is the ratio")
    func ratio() async throws {
        let recorder = Recorder()
        let numbers = Mutex<UInt64>(0)
        // Even numbers over the whole range.
        let tracer = Tracer(
            TraceSampler(ratio: 0.25, followsCallers: false, callers: []), now: recorder.router.clock.now,
            uptime: recorder.router.clock.uptime,
            random: {
                numbers.withLock { number in
                    number &+= 0x9E37_79B9_7F4A_7C15
                    return number
                }
            }, finished: { _ in })
        var recorded = 0
        for _ in 0..<4_000 {
            await Tracer?.some(tracer).inSpan("work", .inside, beginsTrace: true) { recorded += $0 == nil ? 0 : 1 }
        }
        #expect((950...1_050).contains(recorded))
    }

    @Test("Spans nest by task, fail with a thrown error's type, and end once")
    func nested() async throws {
        struct Refused: Error { let text = "ada@example.org" }
        let recorder = Recorder()
        let tracer: Tracer? = recorder.tracer()
        await #expect(throws: Refused.self) {
            try await tracer.inSpan("outer", .inside, beginsTrace: true) { _ in
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await tracer.inSpan("inner", .client) { span in
                            span?.end()
                            throw Refused()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
        let spans = recorder.spans
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans[0].parent == spans[1].context.span && spans[0].context.trace == spans[1].context.trace)
        #expect(spans.map(\.hasFailed) == [false, true])
        #expect(spans[1][.errorType] == .text("Refused"))
        #expect(ActiveSpan.current == nil)
        await tracer.inSpan("without a trace", .client) { #expect($0 == nil) }
        #expect(recorder.spans.count == 2)
    }
}
