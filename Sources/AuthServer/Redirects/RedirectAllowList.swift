import GatehouseWire

/// Where people may be sent back to (wire contract 1.6; RFC 9700 §2.1: exact matching).
///
/// - By default an address is allowed when it is in the list byte for byte, custom schemes too. An entry on a loopback
///   address stands for every port there, because native apps listen where they can (RFC 8252 §7.3).
/// - With ``takesPatterns`` the entries are globs as in the Auth protocol, and every address of the site is allowed.
package struct RedirectAllowList: Sendable {
    /// Where people go when nothing else is said.
    package let siteURL: String
    private let entries: [String]
    private let patterns: [Glob]
    package let takesPatterns: Bool

    /// A longer address is refused.
    private static let longest = 2_048

    package init(siteURL: String, entries: [String], takesPatterns: Bool = false) {
        self.siteURL = siteURL
        self.entries = entries
        self.takesPatterns = takesPatterns
        patterns = takesPatterns ? entries.flatMap(Glob.alternatives) : []
    }

    package func allows(_ address: String) -> Bool {
        guard let parts = RedirectParts(address), address.utf8.count <= Self.longest else { return false }
        if address == siteURL || entries.contains(address) { return true }
        if parts.isLoopback, ([siteURL] + entries).contains(where: { parts.differsInPortAlone($0) }) { return true }
        guard takesPatterns else { return false }
        if let site = RedirectParts(siteURL), parts.hasOrigin(of: site) { return true }
        guard parts.hasOrdinaryHost else { return false }
        let whole = parts.withoutFragment
        return patterns.contains { $0.matches(whole) }
    }

    /// The first of the candidates that is allowed; the site for none. Others are passed over without a word.
    package func target(_ candidates: String?...) -> String {
        candidates.lazy.compactMap { $0 }.first { !$0.isEmpty && allows($0) } ?? siteURL
    }
}

/// The parts of an address that decide whether it is allowed. Reading is strict: what two readers could take apart
/// in two ways is no address.
struct RedirectParts: Equatable, Sendable {
    let scheme: String
    /// Lower case; empty for a scheme without authority.
    let host: String
    let port: String
    /// From the path on, query and fragment included.
    let rest: String

    init?(_ address: String) {
        let text = address.utf8
        // Spaces, controls, backslashes and everything beyond ASCII: browsers mend them, each in its way.
        guard text.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let colon = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        scheme = address[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy(Self.isOfScheme), !Self.runsText.contains(scheme)
        else { return nil }
        var remainder = address[text.index(after: colon)...]
        guard remainder.hasPrefix("//") else {
            (host, port, rest) = ("", "", String(remainder))
            if ["http", "https"].contains(scheme) { return nil }
            return
        }
        remainder = remainder.dropFirst(2)
        let authority = remainder.prefix { !"/?#".contains($0) }
        rest = String(remainder.dropFirst(authority.count))
        // Who looks at `https://app.example@elsewhere.example` sees the wrong host.
        guard !authority.contains("@"), let (host, port) = Self.hostAndPort(authority.lowercased()) else { return nil }
        (self.host, self.port) = (host, port)
        if ["http", "https"].contains(scheme), host.isEmpty { return nil }
    }

    /// A browser runs what stands behind these.
    private static let runsText = ["javascript", "data", "vbscript", "blob", "file", "about"]

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func hostAndPort(_ authority: String) -> (String, String)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { return nil }
            return (String(authority[...end]), String(after.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        let port = parts.count == 2 ? parts[1] : ""
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return (String(parts[0]), String(port))
    }
}

extension RedirectParts {
    var isLoopback: Bool { scheme == "http" && ["127.0.0.1", "[::1]", "localhost"].contains(host) }

    func differsInPortAlone(_ entry: String) -> Bool {
        guard let entry = RedirectParts(entry), entry.isLoopback else { return false }
        return host == entry.host && rest == entry.rest
    }

    func hasOrigin(of site: RedirectParts) -> Bool {
        scheme == site.scheme && host == site.host && (port == site.port || isLoopback)
    }

    /// Neither a number, nor an address, nor letters of another script (contract 1.6, 3).
    var hasOrdinaryHost: Bool {
        guard ["http", "https"].contains(scheme) else { return true }
        if isLoopback { return true }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isNumeric = labels.last.map { $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) } ?? true
        return !isNumeric && !host.hasPrefix("[")
            && host.utf8.allSatisfy { Self.isOfScheme($0) && $0 != UInt8(ascii: "+") }
    }

    var withoutFragment: String {
        let authority = host + (port.isEmpty ? "" : ":" + port)
        let rest = rest.prefix { $0 != "#" }
        return host.isEmpty ? "\(scheme):\(rest)" : "\(scheme)://\(authority)\(rest)"
    }
}
