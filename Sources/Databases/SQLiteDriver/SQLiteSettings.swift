import SQLDatabase

/// Limits for the callers of a database file.
package struct SQLiteSettings: Sendable {
    /// How long a write waits for another program, before it fails with ``DatabaseFailure/Reason/locked``.
    package var busyLimit: Duration = .seconds(5)
    /// How long a caller waits for its turn to write.
    package var waitLimit: Duration = .seconds(10)
    /// The maximum duration of a read; nil for no limit.
    package var readLimit: Duration?
    /// Further callers that wait to write are refused immediately. About one second's worth of commits.
    package var callerLimit = 4_096

    package init() {}
}
