/// Without padding (RFC 4648 §5, RFC 7515 §2). Each value has one encoding.
package enum Base64URL {
    private static let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 0xFF for other bytes.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, symbol) in symbols.enumerated() { table[Int(symbol)] = UInt8(value) }
        return table
    }()

    package static func text(_ bytes: [UInt8]) -> String { String(decoding: encode(bytes), as: UTF8.self) }

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(encodedCount(bytes.count))
        append(bytes, to: &text)
        return text
    }

    package static func encodedCount(_ count: Int) -> Int { (count * 4 + 2) / 3 }

    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let count = encodedCount(bytes.count)
        text += [UInt8](unsafeUninitializedCapacity: count) { text, written in
            bytes.withUnsafeBufferPointer { bytes in
                symbols.withUnsafeBufferPointer { symbols in encode(bytes, with: symbols, to: text) }
            }
            written = count
        }
    }

    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, with symbols: UnsafeBufferPointer<UInt8>,
        to text: UnsafeMutableBufferPointer<UInt8>
    ) {
        var (position, end) = (0, 0)
        func append(_ value: Int) {
            text.initializeElement(at: end, to: symbols[value & 63])
            end += 1
        }
        while position + 3 <= bytes.count {
            let group = Int(bytes[position]) << 16 | Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            append(group >> 18)
            append(group >> 12)
            append(group >> 6)
            append(group)
            position += 3
        }
        guard position < bytes.count else { return }
        let hasSecond = position + 1 < bytes.count
        let group = Int(bytes[position]) << 16 | (hasSecond ? Int(bytes[position + 1]) << 8 : 0)
        append(group >> 18)
        append(group >> 12)
        if hasSecond { append(group >> 6) }
    }

    /// nil for padding, other characters, an impossible length, or nonzero trailing bits (RFC 4648 §3.5).
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        return text.withUnsafeBufferPointer { text in values.withUnsafeBufferPointer { decode(text, $0) } }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        // Two high bits in the union mean an invalid character.
        var union: UInt8 = 0
        var isCanonical = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { bytes, count in
            var position = 0
            func next() -> UInt8 {
                let value = values[Int(text[position])]
                union |= value
                position += 1
                return value
            }
            func append(_ byte: UInt8) {
                bytes.initializeElement(at: count, to: byte)
                count += 1
            }
            while position + 4 <= text.count {
                let (first, second, third, fourth) = (next(), next(), next(), next())
                append(first << 2 | second >> 4)
                append(second << 4 | third >> 2)
                append(third << 6 | fourth)
            }
            guard position < text.count else { return }
            let (first, second) = (next(), next())
            append(first << 2 | second >> 4)
            var rest = second << 4
            if position < text.count {
                let third = next()
                append(second << 4 | third >> 2)
                rest = third << 6
            }
            isCanonical = rest == 0
        }
        return union < 64 && isCanonical ? bytes : nil
    }
}
