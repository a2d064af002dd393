import GatehouseWire
import Synchronization

package final class Histogram: Sendable {
    /// 100 µs to 10 s, for requests and statements.
    package static let latencyBounds: [Double] = [
        0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private let name: String
    private let help: String
    private let counts: Mutex<BucketCounts>

    init(name: String, help: String, bounds: [Double]) {
        self.name = name
        self.help = help
        counts = Mutex(BucketCounts(bounds: bounds))
    }

    /// In the unit of the metric's name.
    package func record(_ value: Double) { counts.withLock { $0.record(value) } }
    /// In seconds.
    package func record(_ duration: Duration) { record(duration.fractionalSeconds) }

    func write(to text: inout PrometheusText) {
        text.family(name, help, "histogram")
        text.histogram(name, [], counts.withLock { $0 })
    }
}

struct BucketCounts: Sendable {
    let bounds: [Double]
    /// The last element counts values above all bounds.
    private(set) var counts: [Int]
    private(set) var sum = 0.0

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func record(_ value: Double) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        counts[index] += 1
        sum += value
    }
}

extension BucketCounts {
    var total: Int { counts.reduce(0, +) }

    /// Estimated within its bucket; nil without values. Values above all bounds equal the last one.
    func quantile(_ share: Double) -> Double? {
        guard total > 0 else { return nil }
        let wanted = share * Double(total)
        var (below, lower) = (0, 0.0)
        for (bound, count) in zip(bounds, counts) {
            if count > 0, Double(below + count) >= wanted {
                return lower + (bound - lower) * (wanted - Double(below)) / Double(count)
            }
            (below, lower) = (below + count, bound)
        }
        return bounds.last
    }
}

package struct RouteLatency: Sendable {
    package let method: String
    /// The pattern; `none` without a route.
    package let route: String
    package let count: Int
    /// Estimated within ``Histogram/latencyBounds``.
    package let median: Duration
    /// The 99th percentile.
    package let slow: Duration
}

/// Held by the route, so a request needs no lookup.
final class RouteMeter: Sendable {
    private struct State {
        /// A route has few statuses, so an array is faster than a dictionary.
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

    /// nil without requests.
    var latency: RouteLatency? {
        let counts = state.withLock { $0.latency }
        guard let median = counts.quantile(0.5), let slow = counts.quantile(0.99) else { return nil }
        return RouteLatency(
            method: method, route: route, count: counts.total, median: .seconds(median), slow: .seconds(slow))
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
