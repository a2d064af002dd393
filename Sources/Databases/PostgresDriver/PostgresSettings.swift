/// Limits for the use of a server, and for waiting.
package struct PostgresSettings: Sendable {
    /// Pooled connections for transactions, each with its own thread. Single-statement reads have a further one.
    package var connections = 8
    /// The server's statement timeout.
    package var statementLimit: Duration = .seconds(10)
    /// How long a caller waits in total for a connection, for the server to return, and for conflicting transactions.
    package var waitLimit: Duration = .seconds(10)
    /// The limit of one connection attempt.
    package var connectLimit: Duration = .seconds(3)
    /// A connection that was idle for this long is checked.
    package var restLimit: Duration = .seconds(30)
    /// Further concurrent callers are refused immediately.
    package var callerLimit = 20_000
    /// The statement timeout on the shared connection. A read that exceeds it is repeated on a pooled connection, so
    /// that it does not delay others any longer.
    package var sharedReadLimit: Duration = .milliseconds(250)
    /// How long changes that share a commit wait for a locked row. Longer than a commit takes.
    package var sharedLockLimit: Duration = .milliseconds(100)
    /// A schema change that waits for a table lock blocks all other users of the table. After this time it gives up,
    /// and retries for ``schemaWaitLimit``.
    package var schemaLockLimit: Duration = .milliseconds(500)
    package var schemaWaitLimit: Duration = .seconds(120)
    /// The statement timeout of schema changes.
    package var schemaStatementLimit: Duration = .seconds(3_600)
    /// Returns a random number from 0 to 1. Randomizes pauses, so that connections and nodes do not retry
    /// simultaneously.
    package var chance: @Sendable () -> Double = { 1 }

    package init() {}
}

/// Usage of the connection pool.
package struct PoolUse: Equatable, Sendable {
    /// The maximum number of connections.
    package let limit: Int
    /// Connections in use.
    package let used: Int
    package let idle: Int
    /// Callers that wait for a connection.
    package let waiting: Int

    package init(limit: Int, used: Int, idle: Int, waiting: Int) {
        self.limit = limit
        self.used = used
        self.idle = idle
        self.waiting = waiting
    }
}
