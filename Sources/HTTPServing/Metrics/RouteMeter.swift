import GatehouseWire
import Synchronization

/// The metrics of one route. The route holds them, so a request needs no look-up.
final class RouteMeter: Sendable {
    private struct State {
        /// A route has only a few statuses; a short array is faster than a dictionary.
        var statuses: [(code: Int, count: Int)] = []
        var latency = BucketCounts(bounds: Histogram.latencyBounds)
    }

    let route: String
    let method: String
    private let state = Mutex(State())

    init(route: String, method: String) {
        self.route = route
        self.method = method
    }

    func record(status: Int, took: Duration) {
        let seconds = took.fractionalSeconds
        state.withLock { state in
            state.latency.record(seconds)
            for index in state.statuses.indices where state.statuses[index].code == status {
                state.statuses[index].count += 1
                return
            }
            state.statuses.append((status, 1))
        }
    }

    private static let requests = "gatehouse_http_requests_total"
    private static let latency = "gatehouse_http_request_duration_seconds"

    /// Omits routes without requests.
    static func write(_ meters: [RouteMeter], to text: inout PrometheusText) {
        let states = meters.map { meter in (meter, meter.state.withLock { $0 }) }.filter { !$0.1.statuses.isEmpty }
        text.family(requests, "Requests by route, method and status.", "counter")
        for (meter, state) in states {
            for status in state.statuses.sorted(by: { $0.code < $1.code }) {
                text.sample(
                    requests, [("route", meter.route), ("method", meter.method), ("status", String(status.code))],
                    Double(status.count))
            }
        }
        text.family(latency, "Seconds from a request's head to its response, by route and method.", "histogram")
        for (meter, state) in states {
            text.histogram(latency, [("route", meter.route), ("method", meter.method)], state.latency)
        }
    }
}
