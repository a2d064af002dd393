package import GatehouseWire

/// A text message.
package struct InboxText: Hashable, Sendable {
    /// The same for all copies.
    package let id: String
    package let sentAt: Instant
    /// Digits, without the plus sign.
    package let number: String
    package let text: String
    package let code: String
    /// `sms_type` of the hook.
    package let type: String

    package init(id: String, sentAt: Instant, number: String, text: String, code: String, type: String = "") {
        self.id = InboxMessage.identifier(id)
        (self.sentAt, self.number) = (sentAt, number)
        (self.text, self.code, self.type) = (text, code, type)
    }

    var recipient: String { "+\(number)" }

    var json: AuthJSON {
        [
            "id": .string(id), "sent_at": .string("\(sentAt)"), "to": .string(number), "text": .string(text),
            "code": .string(code), "type": .string(type),
        ]
    }

    /// - Returns: nil for anything but ``json``.
    init?(json: AuthJSON) {
        guard let id = json["id"]?.stringValue, let sentAt = (json["sent_at"]?.stringValue).flatMap({ Instant($0) }),
            let number = json["to"]?.stringValue, let text = json["text"]?.stringValue,
            let code = json["code"]?.stringValue, let type = json["type"]?.stringValue
        else { return nil }
        self.init(id: id, sentAt: sentAt, number: number, text: text, code: code, type: type)
    }
}

enum InboxMessage: Hashable, Sendable {
    case mail(InboxMail)
    case text(InboxText)

    /// - Returns: nil for anything but ``json``.
    init?(json: AuthJSON) {
        if let mail = InboxMail(json: json) {
            self = .mail(mail)
        } else if let text = InboxText(json: json) {
            self = .text(text)
        } else {
            return nil
        }
    }

    var id: String {
        switch self {
        case .mail(let mail): mail.id
        case .text(let text): text.id
        }
    }

    var json: AuthJSON {
        switch self {
        case .mail(let mail): mail.json
        case .text(let text): text.json
        }
    }

    var mail: InboxMail? { if case .mail(let mail) = self { mail } else { nil } }
    var text: InboxText? { if case .text(let text) = self { text } else { nil } }

    /// Every word occurs in subject, recipient, text or code, in any case.
    func matches(_ words: [[UInt8]]) -> Bool {
        guard !words.isEmpty else { return true }
        let parts =
            switch self {
            case .mail(let mail): [mail.subject, mail.recipient, mail.text, mail.code ?? ""]
            case .text(let text): [text.recipient, text.text, text.code]
            }
        let content = Array(parts.joined(separator: "\n").lowercased().utf8)
        return words.allSatisfy { !content.ranges(of: $0).isEmpty }
    }

    /// For file names and URLs.
    static func identifier(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }, as: UTF8.self)
    }
}
