import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Called without a socket, with a manual clock and a recorded log.
struct TestRouter {
    let clock = ManualClock()
    let lines = LogLines()
    let metrics = ServerMetrics()
    let crossOrigin = CrossOriginPolicy(additionalHeaders: ["X-App"])
    var callers: LocalCallers?
    var bodies = BodyBudget()

    func runtime(_ limits: [RateLimit] = [], sleep: @escaping @Sendable (Duration) async throws -> Void)
        -> ServerRuntime
    {
        ServerRuntime(
            now: clock.now, uptime: clock.uptime, sleep: sleep, makeRequestID: { "made-here" }, metrics: metrics,
            limiter: RateLimiter(limits), clientAddress: ClientAddressRule(.peer), callers: callers, bodies: bodies)
    }

    func table(
        _ prefix: String, _ format: RefusalFormat = .auth, limits: [RateLimit] = [], cacheControl: String? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await untilCancelled() },
        _ routes: [Route]
    ) -> RouteTable {
        let group = RouteGroup(prefixes: [prefix], format: format, crossOrigin: crossOrigin, cacheControl: cacheControl)
        return RouteTable(group: group, runtime: runtime(limits, sleep: sleep), routes)
    }

    func table(_ routes: [Route]) -> RouteTable { table("", .auth, routes) }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], host: String? = "test",
        body: RequestBody? = nil, to tables: RouteTable...
    ) async throws -> TestAnswer {
        let router = Router(context: ServerContext.self)
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        let handler = LineLogHandler(
            label: "test", format: .json, logLevel: .debug, now: clock.now, write: { lines.append($0) })
        let logger = Logger(label: "test") { _ in handler }
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
        let request = Request(head: head, body: body ?? RequestBody(buffer: ByteBuffer()))
        let context = ServerContext(peerAddress: "192.0.2.1", logger: logger)
        let response = try await router.buildResponder().respond(to: request, context: context)
        let collected = CollectedBody()
        try await response.body.write(collected)
        return TestAnswer(status: response.status.code, headers: response.headers, body: collected.text)
    }
}

/// Waits only for its own cancellation.
func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
}

struct TestAnswer {
    let status: Int
    let headers: HTTPFields
    let body: String
}

extension RequestBody {
    static func text(_ text: String) -> RequestBody { RequestBody(buffer: ByteBuffer(string: text)) }
}

final class ManualClock: Sendable {
    private let elapsed = Mutex(Duration.zero)

    func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
    var uptime: @Sendable () -> Duration { { self.elapsed.withLock { $0 } } }
    /// 2026-01-01 plus the elapsed time.
    var now: @Sendable () -> Instant { { Instant(seconds: 1_767_225_600) + self.uptime() } }
}

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ bytes: [UInt8]) { lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
    var text: String { lines.withLock { $0.joined() } }
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += buffer.readableBytesView } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
