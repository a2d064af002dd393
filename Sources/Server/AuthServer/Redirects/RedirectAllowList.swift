import GatehouseWire

/// RFC 9700 §2.1: entries match byte for byte, including custom schemes. A loopback entry matches every port, because
/// native apps listen on any (RFC 8252 §7.3). With ``takesPatterns`` entries are also
/// [patterns](https://supabase.com/docs/guides/auth/redirect-urls), and every URL of the site is allowed.
package struct RedirectAllowList: Sendable {
    /// The default target.
    package let siteURL: String
    private let entries: [String]
    private let patterns: [RedirectPattern]
    private let site: RedirectURL?
    package let takesPatterns: Bool

    package init(siteURL: String, entries: [String], takesPatterns: Bool = false) {
        self.siteURL = siteURL
        self.entries = entries
        self.takesPatterns = takesPatterns
        patterns = takesPatterns ? entries.flatMap(RedirectPattern.alternatives) : []
        site = URLParts(siteURL).flatMap(RedirectURL.init)
    }

    package func adding(_ address: String) -> RedirectAllowList {
        RedirectAllowList(siteURL: siteURL, entries: entries + [address], takesPatterns: takesPatterns)
    }

    /// Whether any URL could match.
    package static func canMatch(pattern entry: String) -> Bool { !RedirectPattern.alternatives(entry).isEmpty }

    package func allows(_ address: String) -> Bool {
        guard let parts = URLParts(address) else { return false }
        if address == siteURL || entries.contains(address) { return true }
        if parts.isLoopback, ([siteURL] + entries).contains(where: { parts.differsInPortAlone($0) }) { return true }
        guard takesPatterns, let url = RedirectURL(parts) else { return false }
        if let site, url.hasOrigin(of: site) { return true }
        return patterns.contains { $0.matches(url) }
    }

    /// The first allowed candidate, else ``siteURL``.
    package func target(_ candidates: String?...) -> String {
        candidates.lazy.compactMap { $0 }.first { !$0.isEmpty && allows($0) } ?? siteURL
    }
}

extension URLParts {
    var isLoopback: Bool { scheme == "http" && Self.loopbackHosts.contains(host) }

    func differsInPortAlone(_ entry: String) -> Bool {
        guard let entry = URLParts(entry), entry.isLoopback else { return false }
        return host == entry.host && rest == entry.rest
    }
}
