package import GatehouseWire

/// A lower-case UUID (RFC 9562), with a type per `Owner`.
package struct Identifier<Owner>: Hashable, Sendable {
    package let text: String

    /// Accepts either case, and the nil UUID, which some tokens carry.
    package init?(_ text: String) {
        guard let text = UUIDText.canonical(text) else { return nil }
        self.text = text
    }

    /// For validated text.
    package init(trusted text: String) { self.text = text }

    /// Version 4, from 16 random bytes.
    package init(random bytes: [UInt8]) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(bytes: bytes)
    }

    /// Version 7, from 16 random bytes. Sorts by milliseconds (RFC 9562 §5.7), so rows written together are neighbors
    /// in an index.
    package init(at time: Instant, random bytes: [UInt8]) {
        let milliseconds = UInt64(clamping: time.microseconds / 1_000)
        var bytes = bytes
        for position in 0..<6 { bytes[position] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * position)) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(bytes: bytes)
    }

    package init(bytes: [UInt8]) {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (position, byte) in bytes.prefix(16).enumerated() {
            if [4, 6, 8, 10].contains(position) { text.append(UInt8(ascii: "-")) }
            text.append((byte >> 4).hexadecimalDigit)
            text.append((byte & 0x0F).hexadecimalDigit)
        }
        self.text = String(decoding: text, as: UTF8.self)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = digit.hexadecimalValue else { continue }
            if let half = high { bytes.append(half << 4 | value) }
            high = high == nil ? value : nil
        }
        return bytes
    }

    package var isNil: Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") } }
}

package typealias UserID = Identifier<User>
package typealias IdentityID = Identifier<Identity>
package typealias SessionID = Identifier<Session>
