import GatehouseWire

/// Lower-case, in the syntax that Supabase Auth's `POST /signup` accepts, with the domain in A-labels.
package struct EmailAddress: Hashable, Sendable {
    package let text: String

    /// RFC 5321 §4.5.3.1.3, without the angle brackets.
    package static let maximumBytes = 254

    /// Accepts letters, digits and ``.!#$%&'*+/=?^_`{|}~-`` before the at sign; then dot-separated labels of at most 63
    /// letters, digits and inner hyphens. Converts a domain beyond ASCII (`DomainName`). Does not trim.
    package init?(_ text: String) {
        guard let at = text.utf8.firstIndex(of: UInt8(ascii: "@")), at > text.startIndex,
            text.utf8[..<at].allSatisfy(Self.isLocal),
            let domain = DomainName.ascii(text[text.utf8.index(after: at)...])
        else { return nil }
        let labels = Array(domain.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy(Self.isLabel) else { return nil }
        self.text = text[..<at].lowercased() + "@" + domain
        guard self.text.utf8.count <= Self.maximumBytes else { return nil }
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(label.count), let first = label.first, let last = label.last else { return false }
        return first.isAlphanumeric && last.isAlphanumeric
            && label.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
    }
}
