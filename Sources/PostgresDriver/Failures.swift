import CPostgres
import SQLDatabase

/// The five characters by which the SQL standard names what went wrong, as the number that a
/// ``DatabaseFailure`` carries: they are its digits in base 36.
enum SQLState {
    static let noConnection = code("08006")
    static let commitUnknown = code("08007")
    static let tooManyCallers = code("53300")

    static func code(_ state: String) -> Int { Int(state, radix: 36) ?? 0 }
}

/// What the server said of a statement.
struct ServerRefusal: Error {
    let state: String
    private let message: String

    init(_ result: OpaquePointer) {
        state = PQresultErrorField(result, postgres_field_sqlstate).map { String(cString: $0) } ?? ""
        message = PQresultErrorField(result, postgres_field_message).map { String(cString: $0) } ?? ""
    }

    private var kind: Substring { state.prefix(2) }

    /// Nothing has happened, and it may work when it is tried again: others changed the same rows (40), or a
    /// statement was prepared for tables that have changed since.
    var mayWorkAgain: Bool { kind == "40" || needsNewSession || (state == "57014" && message.contains("user request")) }

    /// The session cannot be used any more, although it answers.
    var needsNewSession: Bool {
        state == "26000" || (state == "0A000" && message.contains("cached plan")) || endsSession
    }

    /// The server is going down, or has cut this session off.
    var endsSession: Bool {
        ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state) || kind == "08"
    }

    /// What callers are told. The server repeats values in what it says of wrong ones (22), so that is left out.
    var told: any Error {
        switch (kind, state) {
        case ("23", "23505"): ConstraintViolation(kind: .unique, detail: message)
        case ("23", "23503"): ConstraintViolation(kind: .foreignKey, detail: message)
        case ("23", "23514"): ConstraintViolation(kind: .check, detail: message)
        case ("23", "23502"): ConstraintViolation(kind: .notNull, detail: message)
        case ("23", _): ConstraintViolation(kind: .other, detail: message)
        case ("22", _): ConstraintViolation(kind: .other, detail: "a value does not fit its type (\(state))")
        default: DatabaseFailure(code: SQLState.code(state), detail: "\(message) (\(state))")
        }
    }
}

/// The server is out of reach, or stopped answering. What it was last asked may have happened.
struct LostConnection: Error {
    let detail: String

    var told: DatabaseFailure { DatabaseFailure(code: SQLState.noConnection, detail: detail) }
}
