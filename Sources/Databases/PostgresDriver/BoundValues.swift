import CPostgres
import SQLDatabase

/// Numbers, instants and bytes in binary form with a type; text as text, whose type (such as `uuid`) the server infers.
struct BoundValues {
    /// One letter per value. Each combination of types needs its own prepared statement.
    let signature: String
    let types: [Oid]
    private var bytes: [UInt8] = []
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Microseconds between 1970 and 2000, the server's epoch.
    static let epoch: Int64 = 946_684_800_000_000

    /// - Throws: ``DatabaseFailure`` for text with U+0000, or an instant before the server's range.
    init(_ values: [SQLValue]) throws {
        signature = String(values.map(\.letter))
        types = values.map { $0.type?.one ?? 0 }
        for value in values {
            let start = bytes.count
            try append(value)
            end(value == .null ? nil : start, format: value.type == nil ? 0 : 1)
        }
    }

    /// Encodes columns as arrays. A column with only nulls becomes a single null.
    ///
    /// - Parameter columns: At least one value each, all of the same kind or null.
    /// - Throws: As ``init(_:)``.
    init(columns: [[SQLValue]]) throws {
        let kinds = columns.map { column in column.first { $0 != .null } ?? .null }
        signature = String(kinds.map(\.letter)).uppercased()
        types = kinds.map { $0.type?.many ?? ColumnOID.texts }
        for (column, kind) in zip(columns, kinds) {
            if kind == .null {
                end(nil, format: 1)
                continue
            }
            let start = bytes.count
            let hasNull: Int32 = column.contains(.null) ? 1 : 0
            // Number of dimensions, whether there are nulls, element type, length, lower bound.
            let type = Int32(kind.type?.one ?? ColumnOID.text)
            for number in [1, hasNull, type, Int32(column.count), 1] { append(number) }
            for value in column {
                guard value == .null || value.letter == kind.letter else {
                    throw DatabaseFailure(.constraint(.other), detail: "callers pass values of different types")
                }
                let length = bytes.count
                append(Int32(-1))
                if value == .null { continue }
                try append(value)
                let count = Int32(bytes.count - length - 4)
                withUnsafeBytes(of: count.bigEndian) { bytes.replaceSubrange(length..<(length + 4), with: $0) }
            }
            end(start, format: 1)
        }
    }

    func isNull(_ column: Int) -> Bool { starts[column] == nil }

    private mutating func append(_ value: SQLValue) throws {
        switch value {
        case .null: break
        case .int(let number): append(number)
        case .instant(let microseconds):
            let (shifted, overflows) = microseconds.subtractingReportingOverflow(Self.epoch)
            if overflows { throw DatabaseFailure(.constraint(.other), detail: "an instant is out of range") }
            append(shifted)
        case .bytes(let content): bytes += content
        case .text(let text):
            let before = bytes.count
            bytes += text.utf8
            // libpq would drop everything after a zero byte.
            if bytes[before...].contains(0) {
                throw DatabaseFailure(.constraint(.other), detail: "a text holds U+0000")
            }
        }
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    private mutating func end(_ start: Int?, format: Int32) {
        starts.append(start)
        lengths.append(Int32(bytes.count - (start ?? bytes.count)))
        formats.append(format)
        // Terminates text, and gives an empty value an address.
        bytes.append(0)
    }

    func withPointers<Value>(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) throws -> Value
    ) rethrows -> Value {
        try bytes.withUnsafeBufferPointer { buffer in
            try buffer.withMemoryRebound(to: CChar.self) { characters in
                try body(starts.map { start in start.map { characters.baseAddress! + $0 } }, lengths, formats)
            }
        }
    }
}

enum ColumnOID {
    static let bool: Oid = 16
    static let text: Oid = 25
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let numeric: Oid = 1700
    static let timestamptz: Oid = 1184
    static let uuid: Oid = 2950
    static let texts: Oid = 1009
    static let arrays: [Oid: String] = [texts: "text[]", 1001: "bytea[]", 1016: "bigint[]", 1185: "timestamptz[]"]
}

extension SQLValue {
    fileprivate var letter: Character {
        switch self {
        case .null: "n"
        case .int: "i"
        case .text: "t"
        case .bytes: "b"
        case .instant: "m"
        }
    }

    fileprivate var type: (one: Oid, many: Oid)? {
        switch self {
        case .null, .text: nil
        case .int: (ColumnOID.int8, 1016)
        case .bytes: (ColumnOID.bytea, 1001)
        case .instant: (ColumnOID.timestamptz, 1185)
        }
    }
}
