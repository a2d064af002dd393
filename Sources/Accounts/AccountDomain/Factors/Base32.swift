import GatehouseWire

/// RFC 4648 §6, without padding.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var (text, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xFFFF
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(bits >> UInt32(count) & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Parameter text: In either case, with or without padding.
    /// - Returns: nil for other characters.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in text where character != UInt8(ascii: "=") {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 32 : character
            guard let value = alphabet.firstIndex(of: upper) else { return nil }
            bits = (bits << 5 | UInt32(value)) & 0xFFFF
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
