import GatehouseWire

/// Where people may be sent back to (wire contract 1.6; RFC 9700 §2.1: exact matching).
///
/// - By default an address is allowed when it is in the list byte for byte, custom schemes too. An entry on a loopback
///   address stands for every port there, because native apps listen where they can (RFC 8252 §7.3).
/// - With ``takesPatterns`` the entries are patterns as well, and every address of the site is allowed.
package struct RedirectAllowList: Sendable {
    /// Where people go when nothing else is said.
    package let siteURL: String
    private let entries: [String]
    private let patterns: [RedirectPattern]
    private let site: RedirectURL?
    package let takesPatterns: Bool

    /// A longer address is refused. In bytes.
    private static let longest = 2_048

    package init(siteURL: String, entries: [String], takesPatterns: Bool = false) {
        self.siteURL = siteURL
        self.entries = entries
        self.takesPatterns = takesPatterns
        patterns = takesPatterns ? entries.flatMap(RedirectPattern.alternatives) : []
        site = RedirectParts(siteURL).flatMap(RedirectURL.init)
    }

    /// Whether some address could match the entry as a pattern.
    package static func canMatch(pattern entry: String) -> Bool { !RedirectPattern.alternatives(entry).isEmpty }

    package func allows(_ address: String) -> Bool {
        guard address.utf8.count <= Self.longest, let parts = RedirectParts(address) else { return false }
        if address == siteURL || entries.contains(address) { return true }
        if parts.isLoopback, ([siteURL] + entries).contains(where: { parts.differsInPortAlone($0) }) { return true }
        guard takesPatterns, let url = RedirectURL(parts) else { return false }
        if let site, url.hasOrigin(of: site) { return true }
        return patterns.contains { $0.matches(url) }
    }

    /// The first of the candidates that is allowed; the site for none. Others are passed over without a word.
    package func target(_ candidates: String?...) -> String {
        candidates.lazy.compactMap { $0 }.first { !$0.isEmpty && allows($0) } ?? siteURL
    }
}
