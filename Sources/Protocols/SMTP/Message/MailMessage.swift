package import GatehouseWire

package struct MailMessage: Sendable {
    static let maximumSubjectBytes = 900
    /// A template's maximum output. Large email readers cut off at 102 KB.
    static let maximumBodyBytes = 524_288

    private let from: Mailbox
    private let to: Mailbox
    private let subject: String
    private let text: String
    private let html: String?
    private let id: MessageID
    private let date: Instant
    private let headers: [MailHeader]

    /// - Parameters:
    ///   - subject: Without control characters, at most 900 bytes.
    ///   - text: At most 524,288 bytes. LF, CR and CRLF end a line.
    ///   - html: As `text`.
    package init(
        from: Mailbox, to: Mailbox, subject: String, text: String, html: String? = nil, id: MessageID, date: Instant,
        headers: [MailHeader] = []
    ) throws(MailFault) {
        try MailFault.check(subject, .subject, maximum: Self.maximumSubjectBytes)
        let maximum = Self.maximumBodyBytes
        guard text.utf8.count <= maximum else { throw .tooLong(.text, maximum: maximum) }
        guard html?.utf8.count ?? 0 <= maximum else { throw .tooLong(.html, maximum: maximum) }
        (self.from, self.to, self.subject, self.text, self.html) = (from, to, subject, text, html)
        (self.id, self.date, self.headers) = (id, date, headers)
    }

    /// RFC 5322 and RFC 2045: lines with CRLF, ASCII except in an address's local part, no line starting with a dot.
    ///
    /// - Parameter randomBytes: 16 bytes for the boundary.
    package func bytes(boundary randomBytes: [UInt8]) -> [UInt8] {
        var head = HeaderText.field("Date", value: MailDate.text(date))
        head += HeaderText.field("From", mailbox: from)
        head += HeaderText.field("To", mailbox: to)
        head += HeaderText.field("Subject", text: subject)
        head += HeaderText.field("Message-ID", value: id.text)
        // Keeps vacation programs from replying (RFC 3834 §5).
        head += HeaderText.field("Auto-Submitted", value: "auto-generated")
        for header in headers { head += HeaderText.field(header.name, value: header.value) }
        head += HeaderText.field("MIME-Version", value: "1.0")
        guard let html else { return Array(head.utf8) + part("plain", text) }
        // "=_" occurs in no quoted-printable body.
        let boundary = "=_" + randomBytes.hexadecimal
        head += "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"\r\n\r\n"
        // Readers show the last part that they can (RFC 2046 §5.1.4).
        return Array(head.utf8) + Array("--\(boundary)\r\n".utf8) + part("plain", text)
            + Array("--\(boundary)\r\n".utf8) + part("html", html) + Array("--\(boundary)--\r\n".utf8)
    }

    private func part(_ kind: String, _ body: String) -> [UInt8] {
        let head = "Content-Type: text/\(kind); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        return Array(head.utf8) + QuotedPrintable.lines(body)
    }
}

extension MailMessage: Unprinted {
    package var description: String { "<mail>" }
}

/// RFC 5322 §3.3.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `Mon, 23 Nov 2026 12:22:47 +0000`. Years outside 0 to 9999 become 1970.
    static func text(_ instant: Instant) -> String {
        let bytes = Array(instant.description.utf8)
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), (1...12).contains(number(5..<7)) else {
            return text(Instant(seconds: 0))
        }
        let second = number(11..<13) * 3_600 + number(14..<16) * 60 + number(17..<19)
        let day = Int((instant.seconds - Int64(second)) / 86_400 % 7 + 7) % 7
        let rest = String(decoding: bytes[11..<19], as: UTF8.self)
        let year = String(decoding: bytes[..<4], as: UTF8.self)
        return "\(days[day]), \(number(8..<10)) \(months[number(5..<7) - 1]) \(year) \(rest) +0000"
    }
}
