/// `application/x-www-form-urlencoded` (WHATWG URL §5), for queries and bodies: spaces become plus signs, the
/// unreserved characters of RFC 3986 §2.3 stay, everything else is percent-encoded.
package enum FormText {
    package static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
            default:
                bytes.append(UInt8(ascii: "%"))
                bytes.append(digit(byte >> 4))
                bytes.append(digit(byte & 0x0F))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: nil for invalid escapes or invalid UTF-8.
    package static func read(_ text: some Collection<UInt8>) -> String? {
        let (bytes, isWhole) = unescape(Array(text))
        // Decoding replaces invalid UTF-8, which changes the bytes.
        let read = String(decoding: bytes, as: UTF8.self)
        return isWhole && read.utf8.elementsEqual(bytes) ? read : nil
    }

    /// Keeps invalid escapes, and replaces invalid UTF-8 by replacement characters, which match nothing.
    package static func readLeniently(_ text: some Collection<UInt8>) -> String {
        String(decoding: unescape(Array(text)).bytes, as: UTF8.self)
    }

    private static func unescape(_ text: [UInt8]) -> (bytes: [UInt8], isWhole: Bool) {
        // Fast path: most texts contain nothing to decode.
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return (text, true) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var (index, isWhole) = (0, true)
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "%") {
                if index + 2 < text.count, let high = value(text[index + 1]), let low = value(text[index + 2]) {
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

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
