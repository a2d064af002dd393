import Gatehouse

/// Counts events by name and labels.
public final class CounterSink: TelemetrySink {
    /// A counter's name and labels.
    public struct Key: Hashable, Sendable {
        /// The event's name.
        public var name: String
        /// The event's labels.
        public var labels: [String: String]

        /// Creates a key to look up a count.
        public init(_ name: String, _ labels: [String: String] = [:]) {
            self.name = name
            self.labels = labels
        }
    }

    private let counted = Locked<[Key: Int]>([:])

    /// Creates a sink with all counts at zero.
    public init() {}

    /// All counts since the start.
    public var counts: [Key: Int] { counted.withLock { $0 } }

    public func record(_ event: TelemetryEvent) {
        counted.withLock { $0[Key(event.name, event.labels), default: 0] += 1 }
    }
}
