package import GatehouseWire
package import SQLDatabase

package struct MethodFunnel: Equatable, Sendable {
    package let method: String
    package internal(set) var selected: Int64 = 0
    package internal(set) var started: Int64 = 0
    package internal(set) var cancelled: Int64 = 0
    /// In order of the type.
    package internal(set) var failed: [(errorType: String, count: Int64)] = []
    /// Shortest first, without empty classes.
    package internal(set) var durations: [(duration: DurationClass, count: Int64)] = []

    package init(method: String) { self.method = method }

    package var completed: Int64 { durations.reduce(0) { $0 + $1.count } }

    package static func == (one: Self, other: Self) -> Bool {
        (one.method, one.selected, one.started, one.cancelled)
            == (other.method, other.selected, other.started, other.cancelled)
            && one.failed.elementsEqual(other.failed) { $0 == $1 }
            && one.durations.elementsEqual(other.durations) { $0 == $1 }
    }
}

/// Of all nodes together.
package struct EventCounts: Sendable {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    /// One transaction.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` they may be added.
    package func add(_ counts: [CountedEvent: Int64]) async throws {
        let ordered = counts.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
        try await database.writeCommitted { db in
            for (event, count) in ordered {
                try db.run(
                    """
                    INSERT INTO event_counts (hour, app, name, method, detail, count)
                    VALUES (\(SQLValue.instant(event.hour.microseconds)), \(event.app), \(event.name),
                        \(event.method), \(event.detail), \(count))
                    ON CONFLICT (hour, app, name, method, detail)
                        DO UPDATE SET count = event_counts.count + excluded.count
                    """)
            }
        }
    }

    /// By method, in one statement.
    ///
    /// - Parameters:
    ///   - from: Inclusive, by the hours' beginning.
    ///   - until: Exclusive.
    ///   - app: nil for all apps.
    /// - Throws: ``DatabaseFailure``.
    package func funnels(from: Instant, until: Instant, app: String? = nil) async throws -> [MethodFunnel] {
        let found = try await database.rows(Self.sums(from: from, until: until, app: app), into: [Sum]()) { sums, row in
            sums.append(Sum(name: row.text(), method: row.text(), detail: row.text(), count: row.int()))
        }
        var funnels: [MethodFunnel] = []
        for sum in found {
            guard let name = EventName(text: sum.name), name.labels.first == "method" else { continue }
            if funnels.last?.method != sum.method { funnels.append(MethodFunnel(method: sum.method)) }
            funnels[funnels.count - 1].add(name, sum.detail, sum.count)
        }
        return funnels
    }

    /// Hours that began before this time, at most `limit` rows.
    ///
    /// - Returns: The number of rows.
    /// - Throws: ``DatabaseFailure``.
    @discardableResult
    package func remove(before end: Instant, limit: Int = 1_000) async throws -> Int {
        try await database.writeCommitted { db in
            try db.run(
                """
                DELETE FROM event_counts WHERE (hour, app, name, method, detail) IN (
                    SELECT hour, app, name, method, detail FROM event_counts
                    WHERE hour < \(SQLValue.instant(end.microseconds)) ORDER BY hour LIMIT \(limit))
                """)
        }
    }

    /// For the test of the query plan.
    package static func sums(from: Instant, until: Instant, app: String? = nil) -> SQL {
        let ofApp: SQL = app.map { "AND app = \($0)" } ?? ""
        return """
            SELECT name, method, detail, CAST(sum(count) AS bigint) FROM event_counts
            WHERE hour >= \(SQLValue.instant(from.microseconds)) AND hour < \(SQLValue.instant(until.microseconds))
                \(ofApp)
            GROUP BY method, name, detail ORDER BY method, name, detail
            """
    }

    private struct Sum: Sendable {
        let name: String, method: String, detail: String, count: Int64
    }
}

extension MethodFunnel {
    /// - Parameter detail: In order.
    fileprivate mutating func add(_ name: EventName, _ detail: String, _ count: Int64) {
        switch name {
        case .selected: selected += count
        case .started: started += count
        case .cancelled: cancelled += count
        case .failed: failed.append((detail, count))
        case .completed:
            durations.append((DurationClass(text: detail) ?? .longer, count))
            durations.sort { ($0.duration.upperBound ?? .max) < ($1.duration.upperBound ?? .max) }
        case .refreshAttempted, .refreshFailed, .linked: break
        }
    }
}
