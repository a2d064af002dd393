import GatehouseWire

/// RFC 5322 §3.6.4. Constant for all attempts to send an email.
package struct MessageID: Hashable, Sendable {
    /// With its angle brackets.
    package let text: String

    /// - Parameters:
    ///   - randomBytes: 16 unpredictable bytes.
    ///   - domain: The sender's.
    package init(randomBytes: [UInt8], domain: String) { text = "<\(randomBytes.hexadecimal)@\(domain)>" }

    /// - Returns: nil unless a stored ``text`` is `<atoms@atoms>` in ASCII of at most 400 bytes.
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
