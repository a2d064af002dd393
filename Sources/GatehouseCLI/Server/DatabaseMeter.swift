import HTTPServing
import SQLDatabase

/// Counts what the database does.
struct DatabaseMeter: Sendable {
    private let statements: Counter
    private let reads: Histogram
    private let commits: Histogram
    private let callers: Histogram

    init(_ metrics: ServerMetrics) {
        statements = metrics.counter("gatehouse_database_statements_total", "Statements run.")
        reads = metrics.histogram(
            "gatehouse_database_read_duration_seconds", "Seconds of one read transaction.",
            bounds: Histogram.latencyBounds)
        commits = metrics.histogram(
            "gatehouse_database_commit_duration_seconds", "Seconds of one commit, the disk included.",
            bounds: Histogram.latencyBounds)
        callers = metrics.histogram(
            "gatehouse_database_commit_callers", "Callers that shared one commit.",
            bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    }

    @Sendable func observe(_ event: DatabaseEvent) {
        switch event {
        case .statement: statements.increment()
        case .read(let duration): reads.record(duration)
        case .commit(let count, let duration):
            commits.record(duration)
            callers.record(Double(count))
        }
    }
}
