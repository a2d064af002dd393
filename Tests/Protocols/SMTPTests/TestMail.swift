import Foundation
import GatehouseWire
import SMTP
import Testing

/// Mails for tests.
enum TestMail {
    static func address(_ text: String = "ada@example.org") throws(MailFault) -> MailAddress { try MailAddress(text) }

    static func message(
        subject: String = "Hello", name: String? = nil, text: String = "Hello\n", html: String? = nil,
        date: Instant = Instant(seconds: 1_795_436_567), headers: [MailHeader] = [], to: String = "ada@example.org"
    ) throws(MailFault) -> MailMessage {
        try MailMessage(
            from: Mailbox(MailAddress("no-reply@example.com"), name: name), to: Mailbox(MailAddress(to)),
            subject: subject, text: text, html: html, id: MessageID(randomBytes: Array(0..<16), domain: "example.com"),
            date: date, headers: headers)
    }

    static let boundary = "=_" + String(repeating: "ab", count: 16)
    static func bytes(_ mail: MailMessage) -> [UInt8] { mail.bytes(boundary: Array(repeating: 0xAB, count: 16)) }
}

/// A mail as its bytes show it.
struct WrittenMail {
    let text: String

    init(_ mail: MailMessage) { text = String(decoding: TestMail.bytes(mail), as: UTF8.self) }

    var lines: [String] { text.components(separatedBy: "\r\n") }

    /// The fields, each with its line breaks.
    var foldedHeader: [String] {
        var fields: [String] = []
        for line in lines.prefix(while: { !$0.isEmpty }) {
            if line.hasPrefix(" "), let last = fields.popLast() {
                fields.append(last + "\r\n" + line)
            } else {
                fields.append(line)
            }
        }
        return fields
    }

    /// The unfolded values.
    var header: [String: String] {
        var header: [String: String] = [:]
        for field in foldedHeader {
            let parts = field.components(separatedBy: "\r\n").joined().split(separator: ":", maxSplits: 1)
            header[String(parts[0])] = parts.count == 2 ? String(parts[1].dropFirst()) : ""
        }
        return header
    }

    /// What follows the header.
    var body: String { text.range(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }

    /// Reads quoted-printable back.
    static func decoded(_ text: some StringProtocol) throws -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            let next = Array(rest.prefix(2))
            rest = rest.dropFirst(2)
            if next == Array("\r\n".utf8) { continue }
            bytes.append(try #require(UInt8(String(decoding: next, as: UTF8.self), radix: 16)))
        }
        return try #require(String(validating: bytes, as: UTF8.self))
    }
}
