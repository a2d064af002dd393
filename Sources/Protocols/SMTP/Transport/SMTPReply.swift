import GatehouseWire

/// RFC 5321 §4.2.
package struct SMTPReply: Hashable, Sendable {
    static let maximumTextBytes = 512

    /// Three digits.
    package let code: Int
    /// RFC 3463, such as `5.1.1`.
    package let status: String?
    /// Printable ASCII, at most 512 bytes. Untrusted and may contain addresses: do not log it.
    package let text: String

    package init(code: Int, status: String? = nil, text: String = "") {
        (self.code, self.status, self.text) = (code, status, text)
    }
}

// Without the text.
extension SMTPReply: Unprinted {
    package var description: String { status.map { "\(code) \($0)" } ?? "\(code)" }
}

/// Joins the lines of replies.
struct SMTPReplyReader {
    /// Of all replies in an attempt.
    private static let maximumBytes = 65_536

    private var bytes = 0
    private var text: [UInt8] = []

    /// - Returns: nil within a reply.
    /// - Throws: ``TooMuch`` if the server sends without end.
    mutating func add(_ line: some Collection<UInt8>) throws(TooMuch) -> SMTPReply? {
        bytes += line.count
        guard bytes <= Self.maximumBytes else { throw TooMuch() }
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy(\.isDigit) else { return nil }
        let rest = line.dropFirst(3)
        let words = rest.dropFirst().prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        if !text.isEmpty { text.append(UInt8(ascii: " ")) }
        text += words.prefix(max(0, SMTPReply.maximumTextBytes - text.count)).map {
            (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?")
        }
        if rest.first == UInt8(ascii: "-") { return nil }
        defer { text = [] }
        let code = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return SMTPReply(code: code, status: Self.status(text), text: String(decoding: text.prefix(512), as: UTF8.self))
    }

    struct TooMuch: Error {}

    /// `class.subject.detail` at the beginning (RFC 3463 §2).
    private static func status(_ text: [UInt8]) -> String? {
        let word = text.prefix { $0 != UInt8(ascii: " ") }
        let numbers = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isStatus =
            numbers.count == 3 && numbers.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy(\.isDigit) }
        return isStatus && numbers[0].count == 1 ? String(decoding: word, as: UTF8.self) : nil
    }
}
