import SQLDatabase

/// A caller's transaction, which waits for a connection.
struct Job: Sendable {
    enum Kind: Sendable { case write, read, schema }

    let id: UInt64
    let kind: Kind
    /// Of the database's clock. Nothing is tried again after it.
    let deadline: Duration
    /// Runs the statements; what it returns tells the caller, once they are on disk.
    let body: @Sendable (any Connection) throws -> @Sendable () -> Void
    let refuse: @Sendable (any Error) -> Void

    /// How the transaction begins; more than one command is a round trip of its own.
    func opening(_ settings: PostgresSettings) -> [String] {
        switch kind {
        case .write: ["BEGIN ISOLATION LEVEL SERIALIZABLE"]
        case .read: ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]
        case .schema:
            [
                "BEGIN ISOLATION LEVEL SERIALIZABLE",
                "SET LOCAL lock_timeout = \(settings.schemaLockLimit.wholeMilliseconds)",
                "SET LOCAL statement_timeout = \(settings.schemaStatementLimit.wholeMilliseconds)",
            ]
        }
    }

    var changes: Bool { kind != .read }
}

/// What became of one try.
enum Attempt {
    case done
    /// Surely nothing happened, and it may work the next time.
    case again(any Error)
    case refused(any Error)
}
