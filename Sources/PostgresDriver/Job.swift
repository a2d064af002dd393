import SQLDatabase

/// A caller's transaction, which waits for a connection.
struct Job: Sendable {
    enum Kind: Sendable { case write, read }

    let id: UInt64
    let kind: Kind
    /// Of the database's clock. Nothing is tried again after it.
    let deadline: Duration
    /// Runs the statements; what it returns tells the caller, once they are on disk.
    let body: @Sendable (any Connection) throws -> @Sendable () -> Void
    let refuse: @Sendable (any Error) -> Void

    var begin: String {
        switch kind {
        case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}

/// What became of one try.
enum Attempt {
    case done
    /// Surely nothing happened, and it may work the next time.
    case again(any Error)
    case refused(any Error)
}
