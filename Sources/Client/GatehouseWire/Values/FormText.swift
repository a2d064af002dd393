/// `application/x-www-form-urlencoded` (WHATWG URL §5): spaces become plus signs, RFC 3986 §2.3's unreserved characters
/// stay.
package enum FormText {
    package static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else if byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0x0F)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// nil for invalid escapes or UTF-8.
    package static func read(_ text: some Collection<UInt8>) -> String? {
        let (bytes, isWhole) = unescape(Array(text))
        // Decoding replaces invalid UTF-8.
        let read = String(decoding: bytes, as: UTF8.self)
        return isWhole && read.utf8.elementsEqual(bytes) ? read : nil
    }

    /// Keeps invalid escapes, and replaces invalid UTF-8.
    package static func readLeniently(_ text: Substring.UTF8View) -> String {
        text.contains(where: isEscape)
            ? String(decoding: unescape(Array(text)).bytes, as: UTF8.self) : String(Substring(text))
    }

    private static func unescape(_ text: [UInt8]) -> (bytes: [UInt8], isWhole: Bool) {
        // Fast path: most texts need no decoding.
        guard text.contains(where: isEscape) else { return (text, true) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var (index, isWhole) = (0, true)
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "%") {
                if index + 2 < text.count, let high = text[index + 1].hexadecimalValue,
                    let low = text[index + 2].hexadecimalValue
                {
                    bytes.append(high << 4 | low)
                    index += 3
                    continue
                }
                isWhole = false
            }
            bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            index += 1
        }
        return (bytes, isWhole)
    }

    private static func isEscape(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
