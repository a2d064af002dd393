/// How much of a server one database uses, and how long it waits for it.
package struct PostgresSettings: Sendable {
    /// Connections for transactions, each with a thread of its own. Reads of one statement have a further one.
    package var connections = 8
    /// The server gives up a statement that takes longer.
    package var statementLimit: Duration = .seconds(10)
    /// How long a caller waits in all for a connection, for the server to come back, and for others who change the
    /// same rows.
    package var waitLimit: Duration = .seconds(10)
    /// One try to reach the server.
    package var connectLimit: Duration = .seconds(3)
    /// A connection that rested for this long is asked whether it still works.
    package var restLimit: Duration = .seconds(30)
    /// More callers than this at once are refused without waiting.
    package var callerLimit = 20_000
    /// The server gives up a statement on the shared connection after this; it is asked again on one of its own, so
    /// that nobody waits behind it for longer.
    package var sharedReadLimit: Duration = .milliseconds(250)
    /// How long changes that share a commit wait for a row that somebody else is changing: longer than a commit takes.
    package var sharedLockLimit: Duration = .milliseconds(100)
    /// A change of the schema that waits for a table keeps everybody else from it: it gives way after this, and tries
    /// again for ``schemaWaitLimit``.
    package var schemaLockLimit: Duration = .seconds(2)
    package var schemaWaitLimit: Duration = .seconds(120)
    /// The server gives up one statement of a change of the schema after this.
    package var schemaStatementLimit: Duration = .seconds(3_600)
    /// A number from 0 to 1, each time another: pauses differ by it between connections and nodes, which otherwise
    /// would all come back in the same moment.
    package var chance: @Sendable () -> Double = { 1 }

    package init() {}
}

/// How busy the connections for transactions are.
package struct PoolUse: Equatable, Sendable {
    /// As many there may be.
    package let limit: Int
    /// Those that a caller has.
    package let used: Int
    package let idle: Int
    /// Callers who wait for one.
    package let waiting: Int

    package init(limit: Int, used: Int, idle: Int, waiting: Int) {
        self.limit = limit
        self.used = used
        self.idle = idle
        self.waiting = waiting
    }
}
