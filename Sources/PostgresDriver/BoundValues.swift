import CPostgres
import SQLDatabase

/// A statement's values as libpq takes them: numbers, instants and bytes in the server's own binary form with their
/// type, text as text whose type follows from where it stands, be it a `uuid`, a `json` or a `text` column.
struct BoundValues {
    /// One letter for each value: a statement is prepared once for each combination of types.
    let signature: String
    let types: [Oid]
    private var bytes: [UInt8] = []
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Microseconds between 1970 and 2000, where the server begins to count.
    static let epoch: Int64 = 946_684_800_000_000

    /// - Throws: ``ConstraintViolation`` for a value that the server has no form of: text with U+0000, an instant
    ///   before it can count.
    init(_ values: [SQLValue]) throws {
        signature = String(values.map(Self.letter))
        types = values.map(Self.type)
        for value in values { try add(value) }
    }

    private static func letter(_ value: SQLValue) -> Character {
        switch value {
        case .null: "n"
        case .int: "i"
        case .text: "t"
        case .bytes: "b"
        case .instant: "m"
        }
    }

    /// 0 leaves it to the server.
    private static func type(_ value: SQLValue) -> Oid {
        switch value {
        case .null, .text: 0
        case .int: ColumnOID.int8
        case .bytes: ColumnOID.bytea
        case .instant: ColumnOID.timestamptz
        }
    }

    private mutating func add(_ value: SQLValue) throws {
        let start = bytes.count
        switch value {
        case .null:
            starts.append(nil)
            lengths.append(0)
            formats.append(1)
            return
        case .int(let number): append(number)
        case .instant(let microseconds):
            let (shifted, overflows) = microseconds.subtractingReportingOverflow(Self.epoch)
            if overflows { throw ConstraintViolation(kind: .other, detail: "an instant is out of range") }
            append(shifted)
        case .bytes(let content): bytes += content
        case .text(let text):
            let before = bytes.count
            bytes += text.utf8
            // libpq reads up to the first zero: what follows would be dropped without a word.
            if bytes[before...].contains(0) { throw ConstraintViolation(kind: .other, detail: "a text holds U+0000") }
        }
        starts.append(start)
        lengths.append(Int32(bytes.count - start))
        if case .text = value { formats.append(0) } else { formats.append(1) }
        // Ends a text, and gives an empty value an address.
        bytes.append(0)
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    /// Calls `body` with what `PQsendQueryPrepared` takes: values, lengths, formats.
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

/// The numbers of the server's built-in types.
enum ColumnOID {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let numeric: Oid = 1700
    static let timestamptz: Oid = 1184
    static let uuid: Oid = 2950
}
