import CPostgres
import SQLDatabase

/// SQLSTATE codes (SQL standard, five characters) as numbers for ``DatabaseFailure``: the characters are digits in base
/// 36.
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

/// An error that the server reported for a statement.
struct ServerRefusal: Error {
    let state: String
    private let message: String
    /// The server function that reported the error, which unlike the message is not localized.
    private let source: String
    /// Whether the error arrived before the statement's time limit could have expired. Set by the waiting code.
    var cameEarly = false

    init(_ result: OpaquePointer) {
        state = PQresultErrorField(result, postgres_field_sqlstate).map { String(cString: $0) } ?? ""
        message = PQresultErrorField(result, postgres_field_message).map { String(cString: $0) } ?? ""
        source = PQresultErrorField(result, postgres_field_source).map { String(cString: $0) } ?? ""
    }

    private var kind: Substring { state.prefix(2) }

    /// Whether nothing happened and a retry may succeed: a conflict with other transactions (class 40), a lock that was
    /// not available (55P03), a statement prepared for tables that have changed, or a cancellation that was meant for
    /// the previous statement.
    var mayWorkAgain: Bool { kind == "40" || isHeld || needsNewSession || (isStopped && cameEarly) }

    /// Another transaction held a row or table lock for too long.
    var isHeld: Bool { state == "55P03" }

    /// A cancellation or a time limit stopped the statement.
    var isStopped: Bool { state == "57014" }

    /// The prepared statement does not exist: a connection pooler between this program and the server has switched
    /// sessions.
    var isUnprepared: Bool { state == "26000" }

    /// The server is a standby, or read-only.
    var isReadOnly: Bool { state == "25006" }

    /// Whether the session is unusable although it answers.
    var needsNewSession: Bool {
        isUnprepared || endsSession
            || (state == "0A000" && (source == "RevalidateCachedQuery" || message.contains("cached plan")))
    }

    /// Whether the server is shutting down or has ended this session.
    var endsSession: Bool {
        ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state) || kind == "08"
    }

    /// Whether a later attempt may succeed. Beyond the errors that the driver retries, these are a server without a
    /// free connection or memory (class 53), and a statement that exceeded its time limit.
    private var isPassing: Bool { mayWorkAgain || kind == "53" || isStopped || isReadOnly }

    /// The error for callers. Class 22 messages quote invalid values, so they are omitted.
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

/// The server is unreachable or stopped answering. The last command may have taken effect.
struct LostConnection: Error {
    let detail: String

    var told: DatabaseFailure { DatabaseFailure(code: SQLState.noConnection, detail: detail, kind: .passing) }
}
