import CSQLite
import SQLDatabase

/// How long the callers of one database file wait, and how many may.
package struct SQLiteSettings: Sendable {
    /// How long a write waits for another program's; then it fails as ``DatabaseFailure/Kind/passing``.
    package var busyLimit: Duration = .seconds(5)
    /// How long a caller waits for its turn to write.
    package var waitLimit: Duration = .seconds(10)
    /// How long a read may take; nil: as long as it needs.
    package var readLimit: Duration?
    /// More callers than this who wait to write are refused at once: about a second's worth of commits.
    package var callerLimit = 4_096

    package init() {}
}

extension DatabaseFailure {
    /// Nothing was done, and in a moment it may be.
    static func busy(_ detail: String) -> DatabaseFailure {
        DatabaseFailure(code: Int(SQLITE_BUSY), detail: detail, kind: .passing)
    }
}
