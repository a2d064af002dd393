package struct PostgresSettings: Sendable {
    /// For transactions, each with its own thread. Single-statement reads have a further one.
    package var connections = 8
    /// The server's statement timeout.
    package var statementLimit: Duration = .seconds(10)
    /// A caller's total wait for a connection, for the server to return, and for conflicting transactions.
    package var waitLimit: Duration = .seconds(10)
    /// Of one attempt.
    package var connectLimit: Duration = .seconds(3)
    /// Checks a connection that was idle for this long.
    package var restLimit: Duration = .seconds(30)
    /// Further concurrent callers are refused immediately.
    package var callerLimit = 20_000
    /// The shared connection's statement timeout. A slower read is repeated on a pooled connection.
    package var sharedReadLimit: Duration = .milliseconds(250)
    /// How long changes that share a commit wait for a locked row. Longer than a commit takes.
    package var sharedLockLimit: Duration = .milliseconds(100)
    /// Waiting for a table lock blocks all other users of the table. A schema change gives up after this time, and
    /// retries for ``schemaWaitLimit``.
    package var schemaLockLimit: Duration = .milliseconds(500)
    package var schemaWaitLimit: Duration = .seconds(120)
    /// The statement timeout of schema changes.
    package var schemaStatementLimit: Duration = .seconds(3_600)
    /// 0 to 1. Keeps connections and nodes from retrying simultaneously.
    package var chance: @Sendable () -> Double = { 1 }

    package init() {}
}

/// Of connections.
package struct PoolUse: Equatable, Sendable {
    package let limit: Int
    package let used: Int
    package let idle: Int
    /// Callers.
    package let waiting: Int

    package init(limit: Int, used: Int, idle: Int, waiting: Int) {
        self.limit = limit
        self.used = used
        self.idle = idle
        self.waiting = waiting
    }
}
