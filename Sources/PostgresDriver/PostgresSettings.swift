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

    package init() {}
}
