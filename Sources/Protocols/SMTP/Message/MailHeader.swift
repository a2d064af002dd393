import GatehouseWire

/// A field such as `List-Unsubscribe`.
package struct MailHeader: Sendable {
    /// Keeps the line below 998 bytes (RFC 5322 §2.1.1).
    static let maximumBytes = 900

    package let name: String
    package let value: String

    /// - Parameter value: Printable ASCII, sent unchanged, folded at spaces.
    /// - Throws: ``MailFault`` also for a name that ``MailMessage`` writes itself.
    package init(_ name: String, _ value: String) throws(MailFault) {
        try MailFault.check(name, .header, maximum: 64)
        try MailFault.check(value, .header, maximum: Self.maximumBytes)
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "-") }), !value.isEmpty,
            HeaderText.isFoldable(value), !Self.isWritten(name.lowercased())
        else { throw .malformed(.header) }
        (self.name, self.value) = (name, value)
    }

    private static func isWritten(_ name: String) -> Bool {
        switch name {
        case "auto-submitted", "bcc", "cc", "date", "from", "message-id", "mime-version", "reply-to", "return-path",
            "sender", "subject", "to":
            true
        default: name.hasPrefix("content-") && name != "content-language"
        }
    }
}
