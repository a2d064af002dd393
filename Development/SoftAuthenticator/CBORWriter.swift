/// Shortest form (RFC 8949 §4.2.1). Map members keep their order.
package enum CBORWriter {
    package static func integer(_ value: Int64) -> [UInt8] {
        value < 0 ? head(1, UInt64(-1 - value)) : head(0, UInt64(value))
    }

    package static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, UInt64(bytes.count)) + bytes }

    package static func text(_ text: String) -> [UInt8] { head(3, UInt64(text.utf8.count)) + Array(text.utf8) }

    package static func array(_ elements: [[UInt8]]) -> [UInt8] {
        elements.reduce(into: head(4, UInt64(elements.count))) { $0 += $1 }
    }

    package static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        members.reduce(into: head(5, UInt64(members.count))) { $0 += $1.0 + $1.1 }
    }

    package static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = major << 5
        return switch argument {
        case ..<24: [type | UInt8(argument)]
        case ...0xFF: [type | 24, UInt8(argument)]
        case ...0xFFFF: [type | 25] + bigEndian(argument, count: 2)
        case ...0xFFFF_FFFF: [type | 26] + bigEndian(argument, count: 4)
        default: [type | 27] + bigEndian(argument, count: 8)
        }
    }

    static func bigEndian(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
