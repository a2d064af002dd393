import GatehouseWire
import SMTP

extension Inputs {
    /// An email has exactly its own fields, and lines that every server accepts. The input is subject, name, recipient,
    /// text and HTML with zero bytes between them.
    static func mail(_ input: [UInt8]) throws(FuzzFinding) {
        let parts = input.split(separator: 0, maxSplits: 4, omittingEmptySubsequences: false).map { text($0) }
        func part(_ index: Int) -> String { index < parts.count ? parts[index] : "" }
        // Ignored: the addresses are valid.
        guard let sender = try? MailAddress("no-reply@example.com"), let plain = try? Mailbox(sender) else {
            throw FuzzFinding("no sender")
        }
        // Ignored, here and below: others replace what is refused.
        let (recipient, from) = ((try? MailAddress(part(2))) ?? sender, (try? Mailbox(sender, name: part(1))) ?? plain)
        // As above.
        let to = (try? Mailbox(recipient)) ?? plain
        let id = MessageID(randomBytes: [1], domain: sender.domain)
        // Refused: nothing to send.
        let written = try? MailMessage(
            from: from, to: to, subject: part(0), text: part(3), html: part(4), id: id, date: Instant(seconds: 0))
        guard let mail = written else { return }
        let bytes = mail.bytes(boundary: [2])
        try expect(bytes.suffix(2).elementsEqual([13, 10]), "the last line has no end")
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast()
        for line in lines {
            try expect(line.last == 13 && !line.dropLast().contains(13), "a bare CR or LF")
            try expect(line.count <= 998 && line.first != UInt8(ascii: "."), "a line that servers change")
            try expect(recipient.needsSMTPUTF8 || line.allSatisfy { $0 < 0x80 }, "a byte beyond ASCII")
        }
        let names = lines.prefix { $0.count > 1 }.filter { $0.first != UInt8(ascii: " ") }.map { line in
            text(line.prefix { $0 != UInt8(ascii: ":") })
        }
        let own = [
            "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        ]
        try expect(names == own, "other fields: \(names)")
    }

    /// Replies are bounded, and no log line has their words. Each line of the input is a line of a reply; the first
    /// byte chooses the command before it.
    static func replies(_ input: [UInt8]) throws(FuzzFinding) {
        let commands = [
            "EHLO a\r\n", "STARTTLS\r\n", "AUTH PLAIN\r\n", "MAIL FROM:<a@b>\r\n", "RCPT TO:<a@b>\r\n", "DATA\r\n",
        ]
        var dialogue = SMTPDialogue(needsSMTPUTF8: input.first == UInt8(ascii: "!"))
        var last: SMTPReply?
        for line in input.split(separator: 10) {
            if let first = line.first, !first.isDigit { dialogue.addCommand(commands[Int(first) % 6].utf8) }
            _ = dialogue.addReplyLine(line.drop { !$0.isDigit })
            dialogue.hasSentMail = dialogue.stage == .message
            // A long reply spans many lines.
            guard let reply = dialogue.reply, reply != last else { continue }
            last = reply
            try expect((0...999).contains(reply.code) && reply.text.utf8.count <= 512, "too much of a reply")
            try expect(reply.text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a reply that turns a terminal")
            try expectShortFailure(of: dialogue)
        }
        try expectShortFailure(of: dialogue)
    }

    private static func expectShortFailure(of dialogue: SMTPDialogue) throws(FuzzFinding) {
        let told = "\(dialogue.failure(cause: "closed", isCancelled: false))"
        try expect(told.utf8.count < 120, "a long line for the log: \(told)")
    }
}
