import GatehouseServer
import GatehouseWire
import HTTPServing
import Logging
import Synchronization
import TestSupport
import Testing

/// An exporter with a clock that the test moves, and a collector that responds as the test says.
private final class Collector: Sendable {
    typealias Answer = @Sendable (_ call: Int) async throws -> (status: Int, headers: [String: String], body: String)

    private struct State {
        var uptime = Duration.zero
        var calls: [OutgoingCall] = []
        var answer: Answer = { _ in (200, [:], "{}") }
        var number: UInt64 = 0
        var log: [String] = []
    }

    private let state = Mutex(State())
    let metrics = ServerMetrics()
    let exporter: SpanExporter
    let tracer: Tracer?

    init(
        _ settings: [String: String] = [:],
        resolve: @escaping @Sendable (String) async throws -> [IPAddress] = { _ in [] }
    )
        throws
    {
        let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"]
        let traces = try #require(try GivenValues.settings(endpoint.merging(settings) { $1 }).traces)
        let box = Box()
        let log = Logger(label: "test") { label in
            LineLogHandler(
                label: label, format: .json, logLevel: .notice, now: { Instant(seconds: 0) },
                write: { line in box.collector?.state.withLock { $0.log.append(String(decoding: line, as: UTF8.self)) }
                })
        }
        let world = World(
            now: { Instant(seconds: 1_767_225_600) }, uptime: { box.collector?.uptime ?? .zero },
            threadUptime: { .zero }, sleep: { _ in try await Self.untilCancelled() },
            random: { box.collector?.next() ?? 1 },
            transport: { call in
                guard let collector = box.collector else { throw OutgoingFailure.noConnection("a test") }
                return try await collector.receive(call)
            }, resolve: resolve, logger: log)
        exporter = SpanExporter(traces, world, metrics)
        tracer = Tracer(
            traces.sampler, now: world.now, uptime: world.uptime, random: world.random, finished: exporter.add)
        box.hold(self)
    }

    /// The world exists before the collector.
    private final class Box: Sendable {
        private let held = Mutex<Weak>(Weak())
        private struct Weak { weak var collector: Collector? }

        var collector: Collector? { held.withLock { $0.collector } }
        func hold(_ collector: Collector) { held.withLock { $0.collector = collector } }
    }

    private static func untilCancelled() async throws {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task.checkCancellation()
    }

    var uptime: Duration { state.withLock { $0.uptime } }
    var calls: [OutgoingCall] { state.withLock { $0.calls } }
    var log: [String] { state.withLock { $0.log } }

    func advance(by duration: Duration) { state.withLock { $0.uptime += duration } }
    func answers(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    private func next() -> UInt64 {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    private func receive(_ call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
        let (answer, number) = state.withLock { state in
            state.calls.append(call)
            return (state.answer, state.calls.count)
        }
        let (status, headers, body) = try await answer(number)
        return OutgoingHTTP.Answer(status: status, headers: headers, body: Array(body.utf8))
    }

    func record(_ count: Int, name: String = "work") async {
        for _ in 0..<count { await tracer.inSpan(name, .inside, beginsTrace: true) { $0?.set(.status, .number(7)) } }
    }

    func count(_ outcome: String) -> Int {
        let prefix = "gatehouse_spans_total{outcome=\"\(outcome)\"} "
        let line = metrics.render().split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line.flatMap { Int($0.dropFirst(prefix.count)) } ?? 0
    }

    /// The spans of each call.
    func sent() throws -> [[AuthJSON]] {
        try calls.map { call in
            let batch = try JSONReader.read(call.body ?? [])["resourceSpans"]?.arrayValue?.first
            return batch?["scopeSpans"]?.arrayValue?.first?["spans"]?.arrayValue ?? []
        }
    }
}

@Suite("Export of traces")
struct SpanExporterTests {
    @Test("A batch is OTLP's JSON, with the configured headers, to the path for traces")
    func batch() async throws {
        let collector = try Collector([
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20secret%2C, x-other=2", "OTEL_SERVICE_NAME": "accounts",
        ])
        await collector.tracer.inSpan("outer", .server, beginsTrace: true) { span in
            collector.advance(by: .microseconds(1_500))
            span?.set(.route, "/user \"{id}\"")
            await collector.tracer.inSpan("inner", .client) { $0?.fail("timeout") }
        }
        #expect(try await collector.exporter.work() == 2)
        let call = try #require(collector.calls.first)
        #expect(call.method == "POST" && call.url == "http://127.0.0.1:4318/v1/traces")
        #expect(
            call.headers == ["content-type": "application/json", "x-key": "a secret,", "x-other": "2"])
        let spans = try #require(try collector.sent().first)
        let outer: AuthJSON = [
            "traceId": "00000000000000010000000000000002", "spanId": "0000000000000003", "flags": 257, "name": "outer",
            "kind": 2, "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225600001500000",
            "attributes": [["key": "http.route", "value": ["stringValue": "/user \"{id}\""]]], "status": [:],
        ]
        let inner: AuthJSON = [
            "traceId": "00000000000000010000000000000002", "spanId": "0000000000000004",
            "parentSpanId": "0000000000000003", "flags": 257, "name": "inner", "kind": 3,
            "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225600000000000",
            "attributes": [["key": "error.type", "value": ["stringValue": "timeout"]]], "status": ["code": 2],
        ]
        #expect(spans == [inner, outer])
        let text = String(decoding: call.body ?? [], as: UTF8.self)
        #expect(text.contains(#"{"key":"service.name","value":{"stringValue":"accounts"}}"#))
        #expect(collector.count("exported") == 2 && collector.exporter.waiting == 0)
        #expect(try await collector.exporter.work() == 0 && collector.calls.count == 1)
    }

    @Test("A full queue drops and counts new spans, and the rest leaves in batches")
    func full() async throws {
        let collector = try Collector()
        await collector.record(SpanExporter.capacity + 10)
        #expect(collector.exporter.waiting == SpanExporter.capacity && collector.count("dropped") == 10)
        var counts: [Int] = []
        while case let count = try await collector.exporter.work(), count > 0 { counts.append(count) }
        #expect(counts == Array(repeating: SpanExporter.batch, count: SpanExporter.capacity / SpanExporter.batch))
        #expect(try collector.sent().map(\.count) == counts)
        await collector.record(1)
        #expect(collector.exporter.waiting == 1 && collector.count("dropped") == 10)
    }

    @Test("A busy collector is called again after its pause, at most a minute", arguments: [429, 502, 503, 504])
    func retry(status: Int) async throws {
        let collector = try Collector()
        collector.answers { call in
            switch call {
            case 1: (status, ["retry-after": "20"], "")
            case 2: (status, ["retry-after": "99999999999"], "")
            case 3: (status, ["retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"], "")
            default: (200, [:], "")
            }
        }
        await collector.record(3)
        // The usual pauses are half a second to 6 seconds here.
        for (number, pause) in [(1, 20), (2, 60), (3, 6)] {
            #expect(try await collector.exporter.work() == 0 && collector.calls.count == number)
            if number < 3 {
                collector.advance(by: .seconds(pause) - .milliseconds(1))
                #expect(try await collector.exporter.work() == 0 && collector.calls.count == number)
                collector.advance(by: .milliseconds(1))
            } else {
                #expect(try await collector.exporter.work() == 0 && collector.calls.count == number)
                collector.advance(by: .seconds(pause))
            }
        }
        #expect(try await collector.exporter.work() == 3)
        #expect(collector.count("exported") == 3 && collector.count("failed") == 0)
        #expect(Set(collector.calls.map { $0.body ?? [] }).count == 1)
        // One line about the failure, one about its end.
        #expect(collector.log.map { $0.contains("again") } == [false, true])
        #expect(collector.log.first?.contains("status \(status)") == true)
    }

    @Test("After five attempts a batch is given up, and the next one follows")
    func givenUp() async throws {
        let collector = try Collector()
        collector.answers { _ in throw OutgoingFailure.noConnection("refused") }
        await collector.record(SpanExporter.batch + 1)
        for attempt in 1...SpanExporter.attempts {
            let given = try await collector.exporter.work()
            #expect(given == (attempt < SpanExporter.attempts ? 0 : SpanExporter.batch))
            collector.advance(by: .seconds(60))
        }
        #expect(collector.count("failed") == SpanExporter.batch && collector.exporter.waiting == 1)
        collector.answers { _ in (200, [:], "{}") }
        #expect(try await collector.exporter.work() == 1)
        #expect(collector.log.count == 2)
    }

    @Test("What the collector refuses is counted and not repeated", arguments: [301, 400, 401, 404, 413, 500])
    func refused(status: Int) async throws {
        let collector = try Collector()
        collector.answers { _ in (status, ["retry-after": "1"], "no") }
        await collector.record(2)
        #expect(try await collector.exporter.work() == 2)
        #expect(collector.count("failed") == 2 && collector.calls.count == 1)
    }

    @Test("A partial success counts its rejected spans", arguments: ["\"2\"", "2"])
    func partial(rejected: String) async throws {
        let collector = try Collector()
        collector.answers { _ in (200, [:], "{\"partialSuccess\":{\"rejectedSpans\":\(rejected)}}") }
        await collector.record(3)
        #expect(try await collector.exporter.work() == 3)
        #expect(collector.count("failed") == 2 && collector.count("exported") == 1)
    }

    @Test("The end sends what waits, without a pause, and drops what the collector does not take")
    func end() async throws {
        let collector = try Collector()
        collector.answers { call in (call == 2 ? 200 : 503, ["retry-after": "30"], "") }
        await collector.record(SpanExporter.batch + 5)
        #expect(try await collector.exporter.work() == 0)
        await collector.exporter.close()
        #expect(collector.calls.count == 3)
        #expect(collector.count("exported") == SpanExporter.batch && collector.count("dropped") == 5)
        #expect(collector.exporter.waiting == 0)
    }

    @Test("A cancelled call keeps its batch")
    func cancelled() async throws {
        let collector = try Collector()
        collector.answers { _ in throw CancellationError() }
        await collector.record(2)
        await #expect(throws: CancellationError.self) { try await collector.exporter.work() }
        #expect(collector.exporter.waiting == 2 && collector.count("failed") == 0)
    }

    @Test(
        "http reaches a name only on this machine or in private networks",
        arguments: [("10.1.2.3", 1), ("127.0.0.1", 1), ("fd00::1", 1), ("93.184.216.34", 0), ("", 0)])
    func addresses(text: String, calls: Int) async throws {
        let found = IPAddress(text).map { [$0] } ?? []
        let collector = try Collector(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/"]) { _ in found }
        await collector.record(1)
        _ = try await collector.exporter.work()
        #expect(collector.calls.count == calls && collector.calls.allSatisfy { $0.addresses == found })
    }
}
