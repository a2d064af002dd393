/// A row's values by column from 0. Drivers conform to it; callers read a ``Row``.
package protocol RowValues {
    var count: Int { get }
    func isNull(_ column: Int) -> Bool
    func int(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func bytes(_ column: Int) -> [UInt8]
}

/// Each call reads the next column, in the order of the `SELECT` list.
///
/// ```swift
/// try db.rows("SELECT id, name FROM pets") { row in Pet(id: row.int(), name: row.textIfPresent()) }
/// ```
package struct Row {
    @usableFromInline let values: any RowValues
    @usableFromInline var next = 0

    @inlinable init(_ values: any RowValues) { self.values = values }

    @inlinable package var isNull: Bool { values.isNull(next) }

    @inlinable package mutating func skip(_ columns: Int = 1) { next += columns }

    @inlinable package mutating func int() -> Int64 {
        defer { next += 1 }
        return values.int(next)
    }

    @inlinable package mutating func text() -> String {
        defer { next += 1 }
        return values.text(next)
    }

    @inlinable package mutating func bytes() -> [UInt8] {
        defer { next += 1 }
        return values.bytes(next)
    }

    @inlinable package mutating func bool() -> Bool { int() != 0 }

    @inlinable package mutating func intIfPresent() -> Int64? { isNull ? skipped() : int() }

    @inlinable package mutating func textIfPresent() -> String? { isNull ? skipped() : text() }

    @inlinable package mutating func bytesIfPresent() -> [UInt8]? { isNull ? skipped() : bytes() }

    @inlinable mutating func skipped<Value>() -> Value? {
        next += 1
        return nil
    }
}

extension RowValues {
    /// - Throws: Errors of `decode`, and ``DatabaseFailure`` if it reads some of the columns but not all, or too many.
    @inlinable package func read<Value>(_ decode: (inout Row) throws -> Value) throws -> Value {
        var row = Row(self)
        let value = try decode(&row)
        if row.next != count, row.next != 0 { throw DatabaseFailure.misread(row.next, of: count) }
        return value
    }
}

extension DatabaseFailure {
    @usableFromInline static func misread(_ read: Int, of count: Int) -> DatabaseFailure {
        DatabaseFailure(.other, detail: "\(read) columns were read, the query has \(count)")
    }
}
