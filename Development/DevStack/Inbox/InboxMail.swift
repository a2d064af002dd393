package import GatehouseWire

package struct InboxMail: Hashable, Sendable {
    /// The same for all copies.
    package let id: String
    package let sentAt: Instant
    package let recipient: String
    package let subject: String
    package let text: String
    package let html: String
    /// RFC 5322.
    package let source: String
    package var link: String?
    package var code: String?

    package init(
        id: String, sentAt: Instant, recipient: String, subject: String, text: String, html: String, source: String,
        link: String? = nil, code: String? = nil
    ) {
        self.id = InboxMessage.identifier(id)
        (self.sentAt, self.recipient, self.subject) = (sentAt, recipient, subject)
        (self.text, self.html, self.source) = (text, html, source)
        (self.link, self.code) = (link, code)
    }

    /// Everything except the source.
    var summary: AuthJSONObject {
        var members: AuthJSONObject = [
            "id": .string(id), "sent_at": .string("\(sentAt)"), "to": .string(recipient), "subject": .string(subject),
            "text": .string(text), "html": .string(html),
        ]
        members["link"] = link.map(AuthJSON.string)
        members["code"] = code.map(AuthJSON.string)
        return members
    }

    var json: AuthJSON {
        var members = summary
        members["source"] = .string(source)
        return .object(members)
    }

    /// - Returns: nil for anything but ``json``.
    init?(json: AuthJSON) {
        guard let id = json["id"]?.stringValue, let sentAt = (json["sent_at"]?.stringValue).flatMap({ Instant($0) }),
            let recipient = json["to"]?.stringValue, let subject = json["subject"]?.stringValue,
            let text = json["text"]?.stringValue, let html = json["html"]?.stringValue,
            let source = json["source"]?.stringValue
        else { return nil }
        self.init(
            id: id, sentAt: sentAt, recipient: recipient, subject: subject, text: text, html: html, source: source,
            link: json["link"]?.stringValue, code: json["code"]?.stringValue)
    }
}
