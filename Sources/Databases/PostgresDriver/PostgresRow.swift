import CPostgres
import SQLDatabase

struct PostgresRow: RowValues {
    let result: PostgresResult
    let row: Int32
    /// The caller's first.
    var firstColumn: Int32 = 0

    var count: Int { Int(PQnfields(result.pointer) - firstColumn) }
    func isNull(_ column: Int) -> Bool { PQgetisnull(result.pointer, row, place(column)) == 1 }

    func int(_ column: Int) -> Int64 {
        let content = content(column)
        switch (PQftype(result.pointer, place(column)), content.count) {
        case (ColumnOID.timestamptz, 8): return Self.instant(number(content))
        case (ColumnOID.bool, 1), (ColumnOID.int2, 2), (ColumnOID.int4, 4), (ColumnOID.int8, 8): return number(content)
        case (ColumnOID.numeric, 8...): return Self.numeric(content)
        default: return Int64(String(decoding: content, as: UTF8.self)) ?? 0
        }
    }

    func text(_ column: Int) -> String {
        let content = content(column)
        switch PQftype(result.pointer, place(column)) {
        case ColumnOID.uuid where content.count == 16: return Self.uuid(content)
        case ColumnOID.bool, ColumnOID.int2, ColumnOID.int4, ColumnOID.int8, ColumnOID.numeric, ColumnOID.timestamptz:
            return isNull(column) ? "" : String(int(column))
        default: return String(decoding: content, as: UTF8.self)
        }
    }

    func bytes(_ column: Int) -> [UInt8] { Array(content(column)) }

    private func content(_ column: Int) -> UnsafeRawBufferPointer {
        let length = Int(PQgetlength(result.pointer, row, place(column)))
        return UnsafeRawBufferPointer(start: PQgetvalue(result.pointer, row, place(column)), count: length)
    }

    private func place(_ column: Int) -> Int32 { firstColumn + Int32(column) }

    /// Big-endian, signed, of 1, 2, 4 or 8 bytes.
    private func number(_ content: UnsafeRawBufferPointer) -> Int64 {
        content.dropFirst().reduce(Int64(Int8(bitPattern: content[0]))) { $0 << 8 | Int64($1) }
    }

    /// The years 1 to 9999, in microseconds since 1970.
    private static let instants: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// Clamps, including `infinity`, so that arithmetic works.
    private static func instant(_ number: Int64) -> Int64 {
        let (first, last) = (instants.lowerBound - BoundValues.epoch, instants.upperBound - BoundValues.epoch)
        return min(max(number, first), last) + BoundValues.epoch
    }

    /// A `numeric` from summing integers: base 10,000 digits after count, weight, sign and scale.
    private static func numeric(_ content: UnsafeRawBufferPointer) -> Int64 {
        func word(_ index: Int) -> Int64 { Int64(content[2 * index]) << 8 | Int64(content[2 * index + 1]) }
        let (count, weight) = (Int(word(0)), Int(Int16(truncatingIfNeeded: word(1))))
        var value: Int64 = 0
        for digit in 0...max(0, weight) where weight >= 0 {
            let next = digit < count && content.count >= 2 * (digit + 5) ? word(4 + digit) : 0
            value = value &* 10_000 &+ next
        }
        return word(2) == 0x4000 ? 0 &- value : value
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func uuid(_ content: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var position = 0
            for (index, byte) in content.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                buffer[position] = hexDigits[Int(byte >> 4)]
                buffer[position + 1] = hexDigits[Int(byte & 15)]
                position += 2
            }
            return position
        }
    }
}

extension PostgresResult {
    func rows<Value>(_ decode: (inout Row) throws -> Value) throws -> [Value] {
        try (0..<rowCount).map { try PostgresRow(result: self, row: Int32($0)).read(decode) }
    }
}
