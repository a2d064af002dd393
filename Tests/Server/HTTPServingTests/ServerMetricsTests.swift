import HTTPServing
import HTTPTypes
import Hummingbird
import Testing

@Suite("Metrics")
struct ServerMetricsTests {
    @Test("Requests are counted by route, method and status, unknown paths together")
    func requests() async throws {
        let router = TestRouter()
        let clock = router.clock
        let table = router.table(
            "/v1", .auth,
            [
                Route(.get, "/user/{id}") { _, _ in
                    clock.advance(by: .milliseconds(3))
                    return Answer.empty()
                }
            ])
        for path in ["/v1/user/1", "/v1/user/2", "/v1/a", "/v1/b"] { _ = try await router.send(.get, path, to: table) }
        let lines = router.metrics.render().split(separator: "\n").map(String.init)
        let route = #"route="/v1/user/{id}",method="GET""#
        #expect(lines.contains(#"gatehouse_http_requests_total{\#(route),status="204"} 2"#))
        #expect(lines.contains(#"gatehouse_http_requests_total{route="none",method="any",status="404"} 2"#))
        let latency = "gatehouse_http_request_duration_seconds"
        #expect(lines.contains(#"\#(latency)_bucket{\#(route),le="0.0025"} 0"#))
        #expect(lines.contains(#"\#(latency)_bucket{\#(route),le="0.005"} 2"#))
        #expect(lines.contains(#"\#(latency)_bucket{\#(route),le="+Inf"} 2"#))
        #expect(lines.contains(#"\#(latency)_sum{\#(route)} 0.006"#))
        #expect(lines.contains(#"\#(latency)_count{\#(route)} 2"#))
    }

    @Test("Counters, gauges and histograms are written as the format wants them")
    func format() {
        let metrics = ServerMetrics()
        let signIns = metrics.counter("sign_ins_total", "Sign-ins\nby \\ method.", labels: ["method", "outcome"])
        signIns.increment("password", "o\"k\\\n")
        signIns.increment("password", "o\"k\\\n", by: 2)
        _ = metrics.counter("idle_total", "Nothing.")
        metrics.gauge("queue", "Waiting.") { 1.5 }
        let batch = metrics.histogram("batch", "Callers.", bounds: [1, 2])
        for value in [1, 2, 9] { batch.record(Double(value)) }
        #expect(
            metrics.render().hasSuffix(
                #"""
                # HELP sign_ins_total Sign-ins\nby \\ method.
                # TYPE sign_ins_total counter
                sign_ins_total{method="password",outcome="o\"k\\\n"} 3
                # HELP idle_total Nothing.
                # TYPE idle_total counter
                idle_total 0
                # HELP queue Waiting.
                # TYPE queue gauge
                queue 1.5
                # HELP batch Callers.
                # TYPE batch histogram
                batch_bucket{le="1"} 1
                batch_bucket{le="2"} 2
                batch_bucket{le="+Inf"} 3
                batch_sum 12
                batch_count 3

                """#))
    }

    @Test("The number of series is bounded")
    func cardinality() {
        let metrics = ServerMetrics()
        let counter = metrics.counter("c_total", "C.", labels: ["l"])
        for number in 0..<1_000 { counter.increment("\(number)") }
        let samples = metrics.render().split(separator: "\n").filter { $0.hasPrefix("c_total{") }
        #expect(samples.count == 201)
        #expect(samples.contains(#"c_total{l="other"} 800"#))
    }
}
