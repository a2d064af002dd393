import GatehouseWire
import SMTP
import Testing

@Suite("Mails that are not sent")
struct RefusedMailTests {
    static let controls = ["\r", "\n", "\r\n", "\0", "\t", "\u{7F}", "\u{85}", "\u{1B}"]

    @Test(
        "A control character in an address, name, subject or field would add headers, and is refused",
        arguments: controls)
    func controlCharacters(control: String) throws {
        #expect(throws: MailFault.controlCharacter(.address)) { try MailAddress("a\(control)b@example.com") }
        #expect(throws: MailFault.controlCharacter(.address)) { try MailAddress("a@example.com\(control)Bcc: b@c.d") }
        #expect(throws: MailFault.controlCharacter(.name)) {
            try Mailbox(TestMail.address(), name: "a\(control)Bcc: eve@example.net")
        }
        #expect(throws: MailFault.controlCharacter(.subject)) {
            try TestMail.message(subject: "a\(control)Bcc: eve@example.net")
        }
        #expect(throws: MailFault.controlCharacter(.header)) {
            try MailHeader("X-A", "a\(control)Bcc: eve@example.net")
        }
        #expect(throws: MailFault.controlCharacter(.header)) { try MailHeader("X-A\(control)", "a") }
    }

    @Test(
        "An address has a local part and a host name",
        arguments: [
            "", "@", "a", "a@", "@example.com", "a b@example.com", "a@b c", "<a@example.com>", "a@example.com>",
            "a,b@example.com", "\"a\"@example.com", "a@b@example.com", "a@-b.example", "a@b..example", "a@[127.0.0.1]",
            "a@example.com.", "a@%41.example", "=?utf-8?q?eve=40evil.example=3e?=@example.com", "a=?b@example.com",
        ])
    func malformed(text: String) {
        #expect(throws: MailFault.malformed(.address)) { try MailAddress(text) }
    }

    @Test("Every part has a longest length")
    func lengths() throws {
        let local = String(repeating: "a", count: 254 - "@example.com".count)
        #expect(try MailAddress(local + "@example.com").text.utf8.count == 254)
        #expect(throws: MailFault.tooLong(.address, maximum: 254)) { try MailAddress(local + "b@example.com") }
        #expect(throws: MailFault.tooLong(.address, maximum: 1_016)) {
            try MailAddress(String(repeating: "a", count: 100_000) + "@example.com")
        }
        #expect(throws: MailFault.tooLong(.name, maximum: 256)) {
            try Mailbox(TestMail.address(), name: String(repeating: "é", count: 129))
        }
        #expect(throws: MailFault.tooLong(.subject, maximum: 900)) {
            try TestMail.message(subject: String(repeating: "a", count: 901))
        }
        let body = String(repeating: "a", count: 524_289)
        #expect(throws: MailFault.tooLong(.text, maximum: 524_288)) { try TestMail.message(text: body) }
        #expect(throws: MailFault.tooLong(.html, maximum: 524_288)) { try TestMail.message(html: body) }
    }

    @Test(
        "A domain is written in A-labels, and a local part as the server has to understand it",
        arguments: [
            ("Ada@Example.COM", "Ada@example.com"), ("a@münchen.example", "a@xn--mnchen-3ya.example"),
            ("a@MÜNCHEN.example", "a@xn--mnchen-3ya.example"), ("a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"),
            ("a..b@example.com", "\"a..b\"@example.com"), (".a@example.com", "\".a\"@example.com"),
            ("a@localhost", "a@localhost"), ("a+b'c@example.com", "a+b'c@example.com"),
        ])
    func envelope(text: String, expected: String) throws {
        let address = try MailAddress(text)
        #expect(address.text == expected && !address.needsSMTPUTF8)
    }

    @Test("Only a local part beyond ASCII needs SMTPUTF8")
    func internationalised() throws {
        let address = try MailAddress("grüße@münchen.example")
        #expect(address.text == "grüße@xn--mnchen-3ya.example" && address.needsSMTPUTF8)
    }

    @Test("Addresses, names and mails do not print themselves")
    func unprinted() throws {
        let mailbox = try Mailbox(TestMail.address(), name: "Ada")
        #expect("\(mailbox) \(mailbox.address) \(try TestMail.message())" == "<mailbox> <address> <mail>")
        #expect(String(reflecting: SMTPReply(code: 550, status: "5.1.1", text: "ada@example.org")) == "550 5.1.1")
    }

    @Test("A stored Message-ID is read back, and nothing else is")
    func messageIDs() {
        let id = MessageID(randomBytes: Array(0..<16), domain: "example.com")
        #expect(MessageID(id.text) == id)
        for text in ["", "<>", "<a@b", "a@b", "<a@b@c>", "<a b@c>", "<a@b>\r\nBcc: c", "<é@b>", "<@b>"] {
            #expect(MessageID(text) == nil, "\(text)")
        }
    }
}
