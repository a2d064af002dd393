import GatehouseWire
import Synchronization

/// A monotonic counter with one series per combination of label values.
package final class Counter: Sendable {
    /// Further combinations share one series with every label `other`.
    static let maximumSeries = 200

    private let name: String
    private let help: String
    private let labels: [String]
    private let values = Mutex<[[String]: Int]>([:])

    init(name: String, help: String, labels: [String]) {
        self.name = name
        self.help = help
        self.labels = labels
    }

    /// Label values are in the order of the names.
    package func increment(_ labelValues: String..., by amount: Int = 1) {
        values.withLock { values in
            if values[labelValues] != nil || values.count < Self.maximumSeries {
                values[labelValues, default: 0] += amount
            } else {
                values[labels.map { _ in "other" }, default: 0] += amount
            }
        }
    }

    func write(to text: inout PrometheusText) {
        text.family(name, help, "counter")
        let values = values.withLock { $0 }
        if labels.isEmpty, values.isEmpty { text.sample(name, [], 0) }
        for (labelValues, value) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            text.sample(name, Array(zip(labels, labelValues)), Double(value))
        }
    }
}
