import GatehouseWire

/// For envelope and header (RFC 5321 §4.1.2, RFC 6531 §3.3). The domain is in A-labels (`DomainName`), which every
/// server accepts. A local part beyond ASCII requires SMTPUTF8.
package struct MailAddress: Hashable, Sendable {
    /// RFC 5321 §4.5.3.1.3, without the angle brackets.
    static let maximumBytes = 254

    /// A dot-atom or a quoted string.
    package let local: String
    package let domain: String

    /// As in the envelope.
    package var text: String { local + "@" + domain }

    /// RFC 6531.
    package var needsSMTPUTF8: Bool { !local.utf8.allSatisfy { $0 < 0x80 } }

    /// Accepts what accounts' `EmailAddress` does and, for operators, characters beyond ASCII. Quotes a local part
    /// whose dots RFC 5321 does not allow.
    ///
    /// - Throws: ``MailFault`` also for quoted local parts, addresses in brackets and encoded words (RFC 2047). Some
    ///   servers decode these and deliver elsewhere, so a stranger could prove a foreign domain's address.
    package init(_ text: String) throws(MailFault) {
        // A-labels are longer than the text, at most by this factor.
        try MailFault.check(text, .address, maximum: 4 * Self.maximumBytes)
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")), let local = Self.local(text[..<at]),
            let domain = Self.domain(text[text.index(after: at)...])
        else { throw .malformed(.address) }
        (self.local, self.domain) = (local, domain)
        guard self.text.utf8.count <= Self.maximumBytes else { throw .tooLong(.address, maximum: Self.maximumBytes) }
    }

    private static func local(_ text: Substring) -> String? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.allSatisfy({ isAtom($0) || $0 == UInt8(ascii: ".") }),
            !bytes.contains("=?".utf8)
        else { return nil }
        let atoms = text.split(ascii: ".", omittingEmptySubsequences: false)
        return atoms.contains(where: \.isEmpty) ? "\"\(text)\"" : String(text)
    }

    /// `atext` (RFC 5322 §3.2.3), and bytes beyond ASCII (RFC 6532 §3.2).
    static func isAtom(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte >= 0x80 || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    /// - Returns: A-labels; nil if it is not a host name.
    static func domain(_ text: Substring) -> String? {
        guard let ascii = DomainName.ascii(text) else { return nil }
        let labels = ascii.split(ascii: ".", omittingEmptySubsequences: false)
        return ascii.utf8.count <= 253 && labels.allSatisfy(isLabel) ? ascii : nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), let first = label.utf8.first, let last = label.utf8.last else {
            return false
        }
        return first.isAlphanumeric && last.isAlphanumeric
            && label.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}

extension MailAddress: Unprinted {
    package var description: String { "<address>" }
}

/// As in `From:`.
package struct Mailbox: Sendable {
    static let maximumNameBytes = 256

    package let address: MailAddress
    package let name: String?

    /// - Throws: ``MailFault`` for control characters or more than 256 bytes.
    package init(_ address: MailAddress, name: String? = nil) throws(MailFault) {
        if let name { try MailFault.check(name, .name, maximum: Self.maximumNameBytes) }
        self.address = address
        self.name = name.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Mailbox: Unprinted {
    package var description: String { "<mailbox>" }
}
