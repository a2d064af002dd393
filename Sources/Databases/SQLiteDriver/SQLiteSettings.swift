import SQLDatabase

package struct SQLiteSettings: Sendable {
    /// A write's wait for another program, before it fails with ``DatabaseFailure/Reason/locked``.
    package var busyLimit: Duration = .seconds(5)
    /// For a caller's turn to write.
    package var waitLimit: Duration = .seconds(10)
    /// nil for no limit.
    package var readLimit: Duration?
    /// Further writers are refused immediately. About one second's worth of commits.
    package var callerLimit = 4_096

    package init() {}
}
