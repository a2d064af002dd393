import CPostgres
import SQLDatabase

extension DatabaseFailure {
    static func tooManyCallers(_ detail: String) -> DatabaseFailure {
        DatabaseFailure(.tooManyCallers, detail: detail)
    }

    static let closed = DatabaseFailure(.unavailable, detail: "the database is closed")

    static let commitUnknown = DatabaseFailure(
        .unknownOutcome, detail: "the connection was lost while committing: whether it took effect is not known")
}

struct ServerRefusal: Error {
    let state: String
    private let message: String
    /// The server's function name: unlike the message, it is not localized.
    private let source: String
    /// Before the statement's time limit could have expired. Set by the waiting code.
    var cameEarly = false

    init(_ result: OpaquePointer) {
        state = PQresultErrorField(result, postgres_field_sqlstate).map { String(cString: $0) } ?? ""
        message = PQresultErrorField(result, postgres_field_message).map { String(cString: $0) } ?? ""
        source = PQresultErrorField(result, postgres_field_source).map { String(cString: $0) } ?? ""
    }

    private var kind: Substring { state.prefix(2) }

    /// Nothing happened: a conflict, an unavailable lock, a statement prepared for changed tables, or a cancellation
    /// meant for the previous statement.
    var mayWorkAgain: Bool {
        reason == .conflict || reason == .locked || needsNewSession || (reason == .interrupted && cameEarly)
    }

    /// A connection pooler has switched sessions.
    var isUnprepared: Bool { state == "26000" }

    var isReadOnly: Bool { state == "25006" }

    var needsNewSession: Bool {
        isUnprepared || endsSession
            || (state == "0A000" && (source == "RevalidateCachedQuery" || message.contains("cached plan")))
    }

    var endsSession: Bool {
        ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(state) || kind == "08"
    }

    /// For callers. Class 22 messages quote invalid values, so they are omitted.
    var told: DatabaseFailure {
        DatabaseFailure(reason, code: state, detail: kind == "22" ? "a value does not fit its type" : message)
    }

    var reason: DatabaseFailure.Reason {
        switch (kind, state) {
        case ("23", "23505"): .constraint(.unique)
        case ("23", "23503"): .constraint(.foreignKey)
        case ("23", "23514"): .constraint(.check)
        case ("23", "23502"): .constraint(.notNull)
        case ("22", _), ("23", _): .constraint(.other)
        case (_, "42P01"), (_, "42703"): .unknownName
        case (_, "55P03"): .locked
        case (_, "57014"): .interrupted
        case (_, "53100"): .full
        case ("40", _): .conflict
        // Without a free connection or memory (class 53), a standby, or a session that a new one may replace.
        default: kind == "53" || isReadOnly || needsNewSession ? .unavailable : .other
        }
    }
}

/// The last command may have taken effect.
struct LostConnection: Error {
    let detail: String

    var told: DatabaseFailure { DatabaseFailure(.unavailable, detail: detail) }
}
