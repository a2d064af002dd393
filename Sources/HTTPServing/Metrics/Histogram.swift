import GatehouseWire
import Synchronization

/// Counts values by range.
package final class Histogram: Sendable {
    /// From 100 µs to 10 s, in seconds: the range of requests and statements.
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

    package func record(_ value: Double) { counts.withLock { $0.record(value) } }
    /// Recorded in seconds.
    package func record(_ duration: Duration) { record(duration.fractionalSeconds) }

    func write(to text: inout PrometheusText) {
        text.family(name, help, "histogram")
        text.histogram(name, [], counts.withLock { $0 })
    }
}

struct BucketCounts: Sendable {
    let bounds: [Double]
    /// One element more than `bounds`: the last one counts values above all bounds.
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
