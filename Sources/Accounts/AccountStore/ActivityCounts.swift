package import GatehouseWire
package import SQLDatabase

/// Raw values are stored.
package enum ActivityName: String, Sendable {
    /// By method and outcome.
    case signIns = "sign_ins"
    /// By verdict.
    case refreshes
}

package struct CountedActivity: Hashable, Sendable {
    /// Whole hours since 1970.
    let hour: Int64
    let name: ActivityName
    let label: String
    let detail: String

    fileprivate var order: [String] { [String(hour), name.rawValue, label, detail] }
}

/// Counts in memory until ``write(to:)``.
package final class ActivityTally: Sendable {
    private let counts: WaitingCounts<CountedActivity>

    /// - Parameter capacity: Waiting rows. An hour has dozens.
    package init(capacity: Int = 2_000) { counts = WaitingCounts(capacity: capacity) }

    /// - Parameters:
    ///   - label: One of the program's own values. Cut to 64 characters.
    ///   - detail: The same; empty without one.
    package func add(_ name: ActivityName, _ label: String, _ detail: String, at now: Instant) {
        let hour = now.microseconds / ActivityCounts.hour
        counts.add(CountedActivity(hour: hour, name: name, label: label.cut(to: 64), detail: detail.cut(to: 64)))
    }

    /// Rows.
    package var waiting: Int { counts.waiting }

    /// After an error the counts wait for the next call, unless they may have been written.
    package func write(to store: ActivityCounts) async throws { try await counts.write(store.add) }
}

package struct ActivitySum: Equatable, Sendable {
    /// The beginning of the hour or day.
    package let at: Instant
    package let name: String
    /// One or two, in the order of the metric's labels.
    package let labels: [String]
    package let count: Int64
}

/// Of all nodes together.
package struct ActivityCounts: Sendable {
    /// In whole hours.
    package enum Step: Int64, Sendable {
        case hour = 1
        case day = 24

        package var seconds: Int64 { rawValue * 3_600 }

        /// Days begin at midnight UTC.
        package func beginning(of moment: Instant) -> Instant {
            let length = rawValue * ActivityCounts.hour
            let start = moment.microseconds / length * length
            return Instant(microseconds: start)
        }
    }

    /// Microseconds.
    static let hour: Int64 = 3_600_000_000

    private let database: any Database

    package init(database: any Database) { self.database = database }

    package func add(_ counts: [CountedActivity: Int64]) async throws {
        // In one order on every node, to avoid deadlocks.
        let ordered = counts.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
        try await database.writeCommitted { db in
            for (activity, count) in ordered {
                try db.run(
                    """
                    INSERT INTO activity_counts (hour, name, label, detail, count)
                    VALUES (\(activity.hour), \(activity.name.rawValue), \(activity.label), \(activity.detail), \(count))
                    ON CONFLICT (hour, name, label, detail)
                        DO UPDATE SET count = activity_counts.count + excluded.count
                    """)
            }
        }
    }

    /// Oldest first, of hours that begin in `from..<until`.
    package func sums(from: Instant, until: Instant, by step: Step) async throws -> [ActivitySum] {
        try await database.rows(Self.summing(from: from, until: until, by: step)) { row in
            let start = row.int() * step.rawValue * Self.hour
            let (name, label, detail) = (row.text(), row.text(), row.text())
            return ActivitySum(
                at: Instant(microseconds: start), name: name, labels: detail.isEmpty ? [label] : [label, detail],
                count: row.int())
        }
    }

    /// For the query plan's test.
    package static func summing(from: Instant, until: Instant, by step: Step) -> SQL {
        let (first, end) = (whole(from), whole(until))
        return """
            SELECT hour / \(step.rawValue), name, label, detail, CAST(sum(count) AS bigint) FROM activity_counts
            WHERE hour >= \(first) AND hour < \(end)
            GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
            """
    }

    /// Rounded up.
    private static func whole(_ moment: Instant) -> Int64 { (moment.microseconds + hour - 1) / hour }
}
