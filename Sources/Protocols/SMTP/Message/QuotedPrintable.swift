import GatehouseWire

/// RFC 2045 §6.7: lines of at most 76 ASCII characters.
enum QuotedPrintable {
    private static let lineLength = 76

    /// LF, CR and CRLF end a line; the result has CRLF.
    static func lines(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + text.utf8.count / 8)
        var line: [UInt8] = []
        var endedWithReturn = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\n") where endedWithReturn: break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                append(line, to: &output)
                line.removeAll(keepingCapacity: true)
            default: line.append(byte)
            }
            endedWithReturn = byte == UInt8(ascii: "\r")
        }
        if !line.isEmpty { append(line, to: &output) }
        return output
    }

    static func escape(_ byte: UInt8) -> [UInt8] { [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)] }

    /// RFC 2045 requires upper case.
    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    private static func append(_ line: [UInt8], to output: inout [UInt8]) {
        // Some programs change lines that start with "From ", and a dot alone ends an email.
        let mustEscapeFirst = line.first == UInt8(ascii: ".") || line.starts(with: "From ".utf8)
        var length = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            let isPlain = isBlank ? !isLast : (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=")
            let size = isPlain && !(index == 0 && mustEscapeFirst) ? 1 : 3
            // Leaves room for a soft line break's equals sign.
            if length + size > (isLast ? lineLength : lineLength - 1) {
                output += "=\r\n".utf8
                length = 0
            }
            // The line after a soft line break must not start with a dot either.
            if size == 1, !(length == 0 && byte == UInt8(ascii: ".")) {
                output.append(byte)
                length += 1
            } else {
                output += escape(byte)
                length += 3
            }
        }
        output += "\r\n".utf8
    }
}
