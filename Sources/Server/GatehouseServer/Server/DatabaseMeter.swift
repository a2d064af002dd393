import GatehouseWire
import HTTPServing
import PostgresDriver
import SQLDatabase
import SQLiteDriver

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
            "gatehouse_database_commit_duration_seconds", "Seconds of one commit, including the disk.",
            bounds: Histogram.latencyBounds)
        callers = metrics.histogram(
            "gatehouse_database_commit_callers", "Callers that shared one commit.",
            bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    }

    /// Named after OpenTelemetry's `db.client.connection.*`.
    static func watch(_ database: any Database, _ metrics: ServerMetrics) {
        if let file = database as? SQLiteDatabase {
            metrics.gauge(waiting, "Reads and writes that wait for a thread.") {
                Double(file.waitingReads + file.waitingWrites)
            }
        }
        guard let pool = database as? PostgresDatabase else { return }
        metrics.gauge("gatehouse_database_connections", "Connections for transactions.", label: "state") {
            let use = pool.poolUse
            return [("idle", Double(use.idle)), ("used", Double(use.used))]
        }
        metrics.gauge("gatehouse_database_connections_max", "The maximum number of connections for transactions.") {
            Double(pool.poolUse.limit)
        }
        metrics.gauge(waiting, "Transactions that wait for a connection.") {
            Double(pool.poolUse.waiting)
        }
    }

    private static let waiting = "gatehouse_database_pending_requests"

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
