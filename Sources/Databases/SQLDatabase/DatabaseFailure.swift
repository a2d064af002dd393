/// Nothing changed, except with ``Reason/unknownOutcome``.
package struct DatabaseFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// A row violates the schema, or a value does not fit its type.
        case constraint(Constraint)
        /// An unknown table or column.
        case unknownName
        /// A serialization failure or a deadlock, after retries until the caller's time limit.
        case conflict
        /// Another transaction or program held a lock for too long.
        case locked
        case interrupted
        /// Too many callers wait, or this one waited for too long.
        case tooManyCallers
        /// Unreachable, closed, or without a spare connection; or a PostgreSQL standby.
        case unavailable
        /// The disk.
        case full
        /// The connection broke during the commit, which may have taken effect.
        case unknownOutcome
        /// A retry fails the same way: invalid SQL, a damaged file, a missing permission.
        case other
    }

    package enum Constraint: Equatable, Sendable { case unique, foreignKey, check, notNull, other }

    package let reason: Reason
    /// For the log: an SQLSTATE or SQLite's extended result code. Empty if the driver itself refused.
    package let code: String
    /// For the log: names of columns, never values.
    package let detail: String

    package init(_ reason: Reason, code: String = "", detail: String) {
        self.reason = reason
        self.code = code
        self.detail = detail
    }

    /// Nothing happened, and a retry may succeed.
    package var isPassing: Bool {
        switch reason {
        case .conflict, .locked, .interrupted, .tooManyCallers, .unavailable, .full: true
        case .constraint, .unknownName, .unknownOutcome, .other: false
        }
    }

    package var isConstraintViolation: Bool { if case .constraint = reason { true } else { false } }

    package var description: String { code.isEmpty ? detail : "\(detail) (code \(code))" }
}
