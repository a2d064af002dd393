import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Synchronization
import Testing

@Suite("The log of requests")
struct RequestLogTests {
    private static func table(_ router: TestRouter, _ log: RequestLog, _ routes: [Route]) -> RouteTable {
        let runtime = ServerRuntime(
            now: router.clock.now, uptime: router.clock.uptime, sleep: { _ in }, makeRequestID: { "made-here" },
            metrics: router.metrics, requests: log, limiter: nil, clientAddress: ClientAddressRule(.peer))
        let group = RouteGroup(prefixes: ["/v1"], format: .auth, crossOrigin: nil)
        return RouteTable(group: group, runtime: runtime, routes)
    }

    @Test("It has the pattern, status, time and code of a request, and neither its path nor its query")
    func content() async throws {
        let router = TestRouter()
        let lines = Mutex<[String]>([])
        let log = RequestLog { request in lines.withLock { $0.append(request.line) } }
        let table = Self.table(
            router, log,
            [
                Route(.get, "/user/{id}") { _, _ in
                    router.clock.advance(by: .microseconds(1_230))
                    return Answer.empty()
                },
                Route(.post, "/user/{id}") { _, _ in throw Refusal(.forbidden, .notAdmin, "secret words") },
                Route(.get, "/probe") { _, _ in Answer.empty() }.unlogged,
            ])
        _ = try await router.send(.get, "/v1/user/ada?token=hidden", [.requestID: "mine"], to: table)
        _ = try await router.send(.post, "/v1/user/ada", to: table)
        for path in ["/v1/probe", "/v1/hidden"] { _ = try await router.send(.get, path, to: table) }
        _ = try await router.send(HTTPRequest.Method("HIDDEN")!, "/v1/made-up", to: table)
        let found = log.requests(after: 0)
        #expect(found.map(\.number) == [1, 2, 3, 4])
        #expect(found.map(\.route) == ["/v1/user/{id}", "/v1/user/{id}", "none", "none"])
        #expect(found.map(\.method) == ["GET", "POST", "GET", "OTHER"])
        #expect(found.map(\.status) == [204, 403, 404, 404])
        #expect(found.map(\.code) == [nil, "not_admin", nil, nil])
        #expect(found.map(\.requestID) == ["mine", "made-here", "made-here", "made-here"])
        #expect(found[0].took == .microseconds(1_230) && found[0].at == router.clock.now())
        let printed = lines.withLock { $0 }
        #expect(printed.first == "GET /v1/user/{id} 204 1.2 ms")
        #expect(printed.dropFirst().first == "POST /v1/user/{id} 403 0.0 ms not_admin")
        #expect(!"\(found) \(printed)".contains("hidden"))
    }

    @Test("It keeps the newest 200, and continues after a number")
    func bounded() async throws {
        let router = TestRouter()
        let log = RequestLog()
        let table = Self.table(router, log, [Route(.get, "/a") { _, _ in Answer.empty() }])
        for _ in 0..<450 { _ = try await router.send(.get, "/v1/a", to: table) }
        #expect(log.requests(after: 0).map(\.number) == Array(251...450))
        #expect(log.requests(after: 448).map(\.number) == [449, 450])
        #expect(log.requests(after: 450).isEmpty)
        // A number of an earlier process.
        #expect(log.requests(after: 9_000).count == RequestLog.capacity)
    }

    @Test("Latencies are those of the busiest routes, estimated within their buckets")
    func latencies() async throws {
        let router = TestRouter()
        #expect(router.metrics.latencies(limit: 5).isEmpty)
        let routes = [(1, "slow"), (30, "quick")].map { milliseconds, name in
            Route(.get, "/\(name)") { _, _ in
                router.clock.advance(by: .milliseconds(milliseconds))
                return Answer.empty()
            }
        }
        let long = Route(.get, "/long") { _, _ in
            router.clock.advance(by: .seconds(60))
            return Answer.empty()
        }
        let table = Self.table(router, RequestLog(), routes + [long])
        for (count, name) in [(1, "long"), (2, "slow"), (3, "quick")] {
            for _ in 0..<count { _ = try await router.send(.get, "/v1/\(name)", to: table) }
        }
        let found = router.metrics.latencies(limit: 50)
        #expect(found.map(\.route) == ["/v1/quick", "/v1/slow", "/v1/long"] && found.map(\.count) == [3, 2, 1])
        let (quick, slow, longest) = (found[0], found[1], found[2])
        #expect(quick.median > .milliseconds(25) && quick.slow > quick.median && quick.slow <= .milliseconds(50))
        #expect(slow.median >= .microseconds(500) && slow.slow <= .milliseconds(1))
        #expect(longest.median == .seconds(10))
        #expect(router.metrics.latencies(limit: 1).map(\.route) == ["/v1/quick"])
    }
}
