import SQLDatabase

struct Job: Caller {
    enum Kind: Sendable { case write, committed, read, schema }

    let id: UInt64
    let kind: Kind
    let deadline: Duration
    /// The returned closure reports the result after the commit.
    let body: @Sendable (any Connection) throws -> @Sendable () -> Void
    let refusal: @Sendable (any Error) -> Void

    /// More than one command takes a separate round trip.
    func opening(_ settings: PostgresSettings) -> [String] {
        switch kind {
        case .write: ["BEGIN ISOLATION LEVEL SERIALIZABLE"]
        case .committed: ["BEGIN ISOLATION LEVEL READ COMMITTED"]
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
    var isPatient: Bool { kind == .schema }
    func refuse(_ reason: any Error) { refusal(reason) }
}

enum Attempt {
    case done
    case again(any Error)
    case refused(any Error)
}
