import GatehouseWire

/// The `Message-ID` of a mail (RFC 5322 §3.6.4). All attempts to send a mail have the same.
package struct MessageID: Hashable, Sendable {
    /// With its angle brackets.
    package let text: String

    /// - Parameters:
    ///   - randomBytes: 16 unpredictable bytes.
    ///   - domain: The domain of the sender's address.
    package init(randomBytes: [UInt8], domain: String) { text = "<\(randomBytes.hexadecimal)@\(domain)>" }

    /// Reads a stored ``text``.
    ///
    /// - Returns: nil unless the text is `<atoms@atoms>` in ASCII of at most 400 bytes.
    package init?(_ text: String) {
        guard text.utf8.count <= 400, text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
        let parts = text.utf8.dropFirst().dropLast().split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0 < 0x80 && (MailAddress.isAtom($0) || $0 == UInt8(ascii: ".")) }
        }
        guard parts.count == 2, isPlain else { return nil }
        self.text = text
    }
}
