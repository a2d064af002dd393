import CPostgres
import SQLDatabase

/// The five characters by which the SQL standard names what went wrong, as the number that a
/// ``DatabaseFailure`` carries: they are its digits in base 36.
enum SQLState {
    static let noConnection = code("08006")
    static let commitUnknown = code("08007")
    static let tooManyCallers = code("53300")
    static let stopped = code("57014")

    static func code(_ state: String) -> Int { Int(state, radix: 36) ?? 0 }
}

extension DatabaseFailure {
    static func tooManyCallers(_ detail: String) -> DatabaseFailure {
        DatabaseFailure(code: SQLState.tooManyCallers, detail: detail, kind: .passing)
    }
}

/// What the server said of a statement.
struct ServerRefusal: Error {
    let state: String
    private let message: String
    /// The part of the server that refused: unlike the message it is in no language.
    private let source: String
    /// Whether it came before a time limit could have: set by whoever waited for it.
    var cameEarly = false

    init(_ result: OpaquePointer) {
        state = PQresultErrorField(result, postgres_field_sqlstate).map { String(cString: $0) } ?? ""
        message = PQresultErrorField(result, postgres_field_message).map { String(cString: $0) } ?? ""
        source = PQresultErrorField(result, postgres_field_source).map { String(cString: $0) } ?? ""
    }

    private var kind: Substring { state.prefix(2) }

    /// Nothing has happened, and it may work when it is tried again: others changed the same rows (40), hold a table
    /// that was not waited for (55P03), a statement was prepared for tables that have changed since, or it was stopped
    /// in the place of another one whose caller had left.
    var mayWorkAgain: Bool { kind == "40" || isHeld || needsNewSession || (isStopped && cameEarly) }

    /// Somebody holds a row or a table, for longer than was to be waited.
    var isHeld: Bool { state == "55P03" }

    /// Somebody, or a time limit, stopped the statement.
    var isStopped: Bool { state == "57014" }

    /// What was prepared is not there: who manages connections between here and the server has changed them.
    var isUnprepared: Bool { state == "26000" }

    /// The server follows another one, or is told to change nothing.
    var isReadOnly: Bool { state == "25006" }

    /// The session cannot be used any more, although it answers.
    var needsNewSession: Bool {
        isUnprepared || endsSession
            || (state == "0A000" && (source == "RevalidateCachedQuery" || message.contains("cached plan")))
    }

    /// The server is going down, or has cut this session off.
    var endsSession: Bool {
        ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state) || kind == "08"
    }

    /// Whether asking again in a moment may help: besides what is tried again here until the caller's time is over,
    /// a server without a free connection or memory (53), and one that stopped a statement for its time.
    private var isPassing: Bool { mayWorkAgain || kind == "53" || isStopped || isReadOnly }

    /// What callers are told. The server repeats values in what it says of wrong ones (22), so that is left out.
    var told: any Error {
        switch (kind, state) {
        case ("23", "23505"): ConstraintViolation(kind: .unique, detail: message)
        case ("23", "23503"): ConstraintViolation(kind: .foreignKey, detail: message)
        case ("23", "23514"): ConstraintViolation(kind: .check, detail: message)
        case ("23", "23502"): ConstraintViolation(kind: .notNull, detail: message)
        case ("23", _): ConstraintViolation(kind: .other, detail: message)
        case ("22", _): ConstraintViolation(kind: .other, detail: "a value does not fit its type (\(state))")
        default:
            DatabaseFailure(
                code: SQLState.code(state), detail: "\(message) (\(state))", kind: isPassing ? .passing : .fault)
        }
    }
}

/// The server is out of reach, or stopped answering. What it was last asked may have happened.
struct LostConnection: Error {
    let detail: String

    var told: DatabaseFailure { DatabaseFailure(code: SQLState.noConnection, detail: detail, kind: .passing) }
}
