/// A statement or its transaction failed. Nothing changed, except with ``Reason/unknownOutcome``.
package struct DatabaseFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What callers decide by.
    package enum Reason: Equatable, Sendable {
        /// A row violates the schema, or a value does not fit its type.
        case constraint(Constraint)
        /// The statement names a table or column that does not exist.
        case unknownName
        /// A serialization failure or a deadlock. The driver has retried until the caller's time limit.
        case conflict
        /// Another transaction or program held a lock for too long.
        case locked
        /// A time limit interrupted the statement.
        case interrupted
        /// Too many callers wait, or this one waited for too long.
        case tooManyCallers
        /// The database is unreachable, is closed, or has no connection to spare. A PostgreSQL server may be a standby.
        case unavailable
        /// The disk is full.
        case full
        /// The connection broke during the commit, which may or may not have taken effect.
        case unknownOutcome
        /// A retry fails the same way: invalid SQL, a damaged file, a missing permission.
        case other
    }

    package enum Constraint: Equatable, Sendable { case unique, foreignKey, check, notNull, other }

    package let reason: Reason
    /// The database's own code for the log: an SQLSTATE, or SQLite's extended result code. Empty if the driver itself
    /// refused.
    package let code: String
    /// The driver's message for the log: names of columns, never values.
    package let detail: String

    package init(_ reason: Reason, code: String = "", detail: String) {
        self.reason = reason
        self.code = code
        self.detail = detail
    }

    /// Whether nothing happened and a retry may succeed.
    package var isPassing: Bool {
        switch reason {
        case .conflict, .locked, .interrupted, .tooManyCallers, .unavailable, .full: true
        case .constraint, .unknownName, .unknownOutcome, .other: false
        }
    }

    package var isConstraintViolation: Bool { if case .constraint = reason { true } else { false } }

    package var description: String { code.isEmpty ? detail : "\(detail) (code \(code))" }
}
