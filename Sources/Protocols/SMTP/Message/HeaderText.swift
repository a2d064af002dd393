import Foundation
import GatehouseWire

/// Folded lines of at most 76 characters (RFC 5322 §2.2.3), with encoded words for everything beyond ASCII (RFC 2047).
enum HeaderText {
    private static let lineLength = 76
    /// RFC 2047 §2.
    private static let wordLength = 75
    private static let wordStart = "=?UTF-8?"

    /// For unstructured text, such as `Subject`.
    static func field(_ name: String, text: String) -> String {
        let longest = lineLength - name.utf8.count - 2
        let isPlain =
            isFoldable(text) && !looksEncoded(text)
            && text.split(ascii: " ").allSatisfy { $0.utf8.count <= longest }
        return isPlain || text.isEmpty
            ? field(name, value: text) : name + ": " + encoded(text, after: name.utf8.count + 2) + "\r\n"
    }

    /// For a value sent unchanged, folded at its spaces.
    static func field(_ name: String, value: String) -> String {
        var (text, length) = (name + ":", name.utf8.count + 1)
        for (index, word) in value.split(ascii: " ").enumerated() {
            // The first word stays next to the name: a line of white space alone is obsolete (RFC 5322 §4.2).
            if index > 0, length + 1 + word.utf8.count > lineLength {
                text += "\r\n"
                length = 0
            }
            text += " " + word
            length += 1 + word.utf8.count
        }
        return text + "\r\n"
    }

    /// `From: "Box Score" <no-reply@example.com>`
    static func field(_ name: String, mailbox: Mailbox) -> String {
        let address = mailbox.address.text
        guard let display = mailbox.name else { return name + ": " + address + "\r\n" }
        let words = phrase(display, after: name.utf8.count + 2)
        let last = words.utf8.split(separator: UInt8(ascii: "\n")).last?.count ?? 0
        let isShort = last + name.utf8.count + 2 + address.utf8.count + 3 <= lineLength
        return "\(name): \(words)\(isShort ? " " : "\r\n ")<\(address)>\r\n"
    }

    /// Printable ASCII with single spaces inside, which survive folding.
    static func isFoldable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.split(ascii: " ", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    /// Readers would decode it.
    private static func looksEncoded(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: "=") && $1 == UInt8(ascii: "?") }
    }

    /// RFC 5322 §3.2.5: atoms, a quoted string or encoded words.
    private static func phrase(_ name: String, after column: Int) -> String {
        guard name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !looksEncoded(name) else {
            return encoded(name, after: column)
        }
        let isPlain = isFoldable(name) && name.utf8.allSatisfy { MailAddress.isAtom($0) || $0 == UInt8(ascii: " ") }
        var quoted = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        quoted += "\""
        return quoted.utf8.count > 64 ? encoded(name, after: column) : isPlain ? name : quoted
    }
}

extension HeaderText {
    /// Each of whole characters (RFC 2047 §5); readers drop the line breaks between them.
    private static func encoded(_ text: String, after column: Int) -> String {
        let isMostlyASCII = text.utf8.count { isLiteral($0) || $0 == UInt8(ascii: " ") } * 2 >= text.utf8.count
        let opening = wordStart + (isMostlyASCII ? "Q?" : "B?")
        let room = wordLength - opening.utf8.count - 2
        var words: [String] = []
        var (bytes, left) = ([UInt8](), min(room, lineLength - column - opening.utf8.count - 2))
        func add() { words.append(opening + (isMostlyASCII ? quoted(bytes) : base64(bytes)) + "?=") }
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            let length = isMostlyASCII ? quoted(bytes + next).utf8.count : (bytes.count + next.count + 2) / 3 * 4
            if length > left, !bytes.isEmpty {
                add()
                (bytes, left) = ([], room)
            }
            bytes += next
        }
        add()
        return words.joined(separator: "\r\n ")
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Only characters that a phrase allows (RFC 2047 §5).
    private static func quoted(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if isLiteral(byte) {
                text.append(byte)
            } else if byte == UInt8(ascii: " ") {
                text.append(UInt8(ascii: "_"))
            } else {
                text += QuotedPrintable.escape(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isLiteral(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "!*+-/".utf8.contains(byte) }
}
