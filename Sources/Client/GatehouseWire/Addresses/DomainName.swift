import Foundation

/// Converts internationalized domain names, by UTS 46's nontransitional processing.
package enum DomainName {
    /// RFC 1035 §2.3.4.
    private static let maximumBytes = 253

    /// In A-labels (RFC 5890 §2.3.2.1) and lower case; nil if impossible. ASCII is not validated.
    package static func ascii(_ name: some StringProtocol) -> String? {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        // Each character takes a byte or more in an A-label, and up to four in UTF-8.
        guard name.utf8.count <= 4 * maximumBytes else { return nil }
        var components = URLComponents()
        components.scheme = "https"
        components.host = String(name)
        // Foundation percent-encodes names that it cannot convert.
        guard let host = components.encodedHost, !host.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return host.lowercased()
    }

    /// In U-labels, for display; unchanged if a label is no A-label.
    package static func shown(_ name: some StringProtocol) -> String {
        guard name.utf8.count <= maximumBytes,
            name.utf8.split(separator: UInt8(ascii: ".")).contains(where: { $0.starts(with: "xn--".utf8) })
        else { return String(name) }
        var components = URLComponents()
        components.scheme = "https"
        components.encodedHost = String(name)
        guard let shown = components.host, ascii(shown).map({ $0 == name.lowercased() }) == true else {
            return String(name)
        }
        return shown
    }
}

extension String {
    /// With the domain in U-labels, for display.
    package var readableAddress: String {
        guard let at = utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return self[...at] + DomainName.shown(self[index(after: at)...])
    }
}
