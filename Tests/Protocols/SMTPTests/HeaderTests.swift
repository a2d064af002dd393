import Foundation
import GatehouseWire
import SMTP
import Testing

@Suite("The header of a mail")
struct HeaderTests {
    /// Unfolded.
    private func header(subject: String = "Hello", name: String? = nil) throws -> [String: String] {
        try WrittenMail(TestMail.message(subject: subject, name: name)).header
    }

    @Test("Plain text stays as it is")
    func plain() throws {
        let header = try header(subject: "Confirm your address", name: "Box Score")
        #expect(header["Subject"] == "Confirm your address")
        #expect(header["From"] == "Box Score <no-reply@example.com>")
        #expect(header["To"] == "ada@example.org")
        #expect(header["Date"] == "Mon, 23 Nov 2026 12:22:47 +0000")
        #expect(header["Message-ID"] == "<000102030405060708090a0b0c0d0e0f@example.com>")
        #expect(header["MIME-Version"] == "1.0" && header["Auto-Submitted"] == "auto-generated")
    }

    @Test(
        "Dates have their weekday",
        arguments: [
            (0, "Thu, 1 Jan 1970 00:00:00 +0000"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (-1, "Wed, 31 Dec 1969 23:59:59 +0000"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 +0000"),
        ] as [(Int64, String)])
    func dates(seconds: Int64, text: String) throws {
        let mail = try TestMail.message(date: Instant(seconds: seconds))
        #expect(WrittenMail(mail).header["Date"] == text)
    }

    @Test(
        "Everything beyond ASCII becomes encoded words (RFC 2047)",
        arguments: [
            ("Größe", "=?UTF-8?B?R3LDtsOfZQ==?="),
            ("Grüße aus Köln am Rhein", "=?UTF-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln_am_Rhein?="),
            ("確認", "=?UTF-8?B?56K66KqN?="), ("a =?UTF-8?Q?b?= c", "=?UTF-8?Q?a_=3D=3FUTF-8=3FQ=3Fb=3F=3D_c?="),
            (" two  spaces", "=?UTF-8?Q?_two__spaces?="),
        ])
    func encoded(text: String, expected: String) throws {
        #expect(try header(subject: text)["Subject"] == expected)
    }

    @Test("A long text is several words of at most 75 characters, none of which splits a character")
    func folded() throws {
        let text = String(repeating: "確認コード", count: 30)
        let mail = try TestMail.message(subject: text)
        let field = try #require(WrittenMail(mail).foldedHeader.first { $0.hasPrefix("Subject: ") })
        let words = field.dropFirst("Subject: ".count).split(separator: "\r\n ")
        #expect(words.count > 5 && words.allSatisfy { $0.count <= 75 })
        #expect(field.split(separator: "\r\n").allSatisfy { $0.count <= 76 })
        let parts = try words.map { word in
            let data = try #require(Data(base64Encoded: String(word.dropFirst(10).dropLast(2))))
            return try #require(String(validating: data, as: UTF8.self))
        }
        #expect(parts.joined() == text)
    }

    @Test("A long plain text is folded before its spaces")
    func foldedPlain() throws {
        let text = Array(repeating: "words", count: 40).joined(separator: " ")
        let mail = WrittenMail(try TestMail.message(subject: text))
        #expect(mail.header["Subject"] == text)
        #expect(mail.lines.allSatisfy { $0.utf8.count <= 76 })
    }

    @Test(
        "A display name is atoms, a quoted string or encoded words (RFC 5322 §3.2.5)",
        arguments: [
            ("Box Score", "Box Score"), ("Box, Score", "\"Box, Score\""), (#"A "B" \ C"#, #""A \"B\" \\ C""#),
            ("St. Ives", "\"St. Ives\""), ("Ünal", "=?UTF-8?Q?=C3=9Cnal?="),
        ])
    func names(name: String, expected: String) throws {
        #expect(try header(name: name)["From"] == "\(expected) <no-reply@example.com>")
    }

    @Test("An empty name is none")
    func noName() throws {
        #expect(try header(name: "")["From"] == "no-reply@example.com")
    }

    @Test(
        "A further field is sent as it is",
        arguments: [
            ("List-Unsubscribe", "<https://example.com/unsubscribe?a=1>, <mailto:a@example.com>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"), ("Content-Language", "ar"),
        ])
    func further(name: String, value: String) throws {
        let field = try MailHeader(name, value)
        let mail = WrittenMail(try TestMail.message(headers: [field]))
        #expect(mail.header[name] == value)
    }

    @Test(
        "Fields that the mail has itself, and malformed ones, are refused",
        arguments: [
            ("Subject", "a"), ("bcc", "a@example.com"), ("Content-Type", "text/html"), ("X Y", "a"), ("", "a"),
            ("X", ""),
            ("X", "é"), ("X", "a  b"),
        ])
    func refusedFields(name: String, value: String) {
        #expect(throws: MailFault.malformed(.header)) { try MailHeader(name, value) }
    }
}
