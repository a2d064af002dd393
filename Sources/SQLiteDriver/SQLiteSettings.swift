import CSQLite
import SQLDatabase

/// Limits for the callers of a database file.
package struct SQLiteSettings: Sendable {
    /// How long a write waits for another program, before it fails with ``DatabaseFailure/Kind/passing``.
    package var busyLimit: Duration = .seconds(5)
    /// How long a caller waits for its turn to write.
    package var waitLimit: Duration = .seconds(10)
    /// The maximum duration of a read; nil for no limit.
    package var readLimit: Duration?
    /// Further callers that wait to write are refused at once. About one second's worth of commits.
    package var callerLimit = 4_096

    package init() {}
}

extension DatabaseFailure {
    /// A failure without effect; a retry may succeed.
    static func busy(_ detail: String) -> DatabaseFailure {
        DatabaseFailure(code: Int(SQLITE_BUSY), detail: detail, kind: .passing)
    }
}
