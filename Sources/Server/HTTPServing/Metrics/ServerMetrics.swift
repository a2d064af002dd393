import GatehouseWire
import Synchronization

/// Create metrics once, at startup; each use takes one short lock. Label values come from the program, never from a
/// request, which bounds the series.
package final class ServerMetrics: Sendable {
    private enum Family: Sendable {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
    }

    private struct State {
        var families: [Family] = []
        /// By method and path template, in UTF-8.
        var meters: [[UInt8]: RouteMeter] = [:]
    }

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let state = Mutex(State())

    package init() {}

    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - labels: Names, in the order of the values of ``Counter/increment(_:by:)``.
    package func counter(_ name: String, _ help: String, labels: [String] = []) -> Counter {
        let counter = Counter(name: name, help: help, labels: labels)
        state.withLock { $0.families.append(.counter(counter)) }
        return counter
    }

    /// - Parameter read: Called for each scrape.
    package func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable () -> Double) {
        state.withLock { $0.families.append(.gauge(Gauge(name: name, help: help) { [([], read())] })) }
    }

    /// - Parameter read: Called for each scrape; returns label values with their numbers.
    package func gauge(
        _ name: String, _ help: String, label: String, _ read: @escaping @Sendable () -> [(String, Double)]
    ) {
        let gauge = Gauge(name: name, help: help) { read().map { ([(label, $0.0)], $0.1) } }
        state.withLock { $0.families.append(.gauge(gauge)) }
    }

    /// - Parameter bounds: Ascending upper bounds, in the unit of the metric's name.
    package func histogram(_ name: String, _ help: String, bounds: [Double]) -> Histogram {
        let histogram = Histogram(name: name, help: help, bounds: bounds)
        state.withLock { $0.families.append(.histogram(histogram)) }
        return histogram
    }

    /// The same object for the same route and method.
    func meter(route: String, method: String) -> RouteMeter {
        state.withLock { state in
            let key = Array("\(method) \(route)".utf8)
            if let known = state.meters[key] { return known }
            let meter = RouteMeter(route: route, method: method)
            state.meters[key] = meter
            return meter
        }
    }

    /// The busiest first.
    package func latencies(limit: Int) -> [RouteLatency] {
        let meters = state.withLock { $0.meters.values }
        let found = meters.compactMap(\.latency).sorted {
            ($1.count, $0.route, $0.method) < ($0.count, $1.route, $1.method)
        }
        return Array(found.prefix(limit))
    }

    package func render() -> String {
        let (families, meters) = state.withLock { ($0.families, $0.meters.values) }
        var text = PrometheusText()
        RouteMeter.write(meters.sorted { ($0.route, $0.method) < ($1.route, $1.method) }, to: &text)
        for family in families {
            switch family {
            case .counter(let counter): counter.write(to: &text)
            case .gauge(let gauge): gauge.write(to: &text)
            case .histogram(let histogram): histogram.write(to: &text)
            }
        }
        return text.text
    }
}

struct Gauge: Sendable {
    let name: String
    let help: String
    let read: @Sendable () -> [(labels: [(String, String)], value: Double)]

    func write(to text: inout PrometheusText) {
        text.family(name, help, "gauge")
        for sample in read() { text.sample(name, sample.labels, sample.value) }
    }
}
