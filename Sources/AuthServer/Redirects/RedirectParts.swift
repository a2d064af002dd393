import GatehouseWire

/// The parts of a URL that byte-for-byte comparison needs. Rejects URLs that browsers would rewrite or execute.
/// ``RedirectURL`` parses further for patterns.
struct RedirectParts: Equatable, Sendable {
    /// In lower case.
    let scheme: String
    /// Whether `//` follows the scheme.
    let hasAuthority: Bool
    /// In lower case; empty without an authority.
    let host: String
    /// Digits, at most 65535; empty if the URL names no port.
    let port: String
    /// Path, query and fragment.
    let rest: String

    init?(_ address: String) {
        let text = address.utf8
        // Browsers repair spaces, control characters, backslashes and non-ASCII characters in different ways.
        guard text.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let colon = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        scheme = address[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy(Self.isOfScheme), !Self.runsText.contains(scheme)
        else { return nil }
        var remainder = address[text.index(after: colon)...]
        hasAuthority = remainder.hasPrefix("//")
        guard hasAuthority else {
            (host, port, rest) = ("", "", String(remainder))
            if ["http", "https"].contains(scheme) { return nil }
            return
        }
        remainder = remainder.dropFirst(2)
        let authority = remainder.prefix { !"/?#".contains($0) }
        rest = String(remainder.dropFirst(authority.count))
        // In `https://app.example@elsewhere.example` the user part looks like a host.
        guard !authority.contains("@"), let (host, port) = Self.hostAndPort(authority.lowercased()) else { return nil }
        (self.host, self.port) = (host, port)
        if ["http", "https"].contains(scheme), host.isEmpty { return nil }
    }

    /// Schemes whose content a browser runs or renders.
    static let runsText: Set<String> = ["javascript", "data", "vbscript", "blob", "file", "about"]

    /// A scheme character of RFC 3986 §3.1, in lower case.
    static func isOfScheme(_ byte: UInt8) -> Bool {
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
            guard after.isEmpty || after.hasPrefix(":"), isPort(after.dropFirst()) else { return nil }
            return (String(authority[...end]), String(after.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        let port = parts.count == 2 ? parts[1] : ""
        guard isPort(port) else { return nil }
        return (String(parts[0]), String(port))
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return text.isEmpty || text.utf8.count <= 5 && text.utf8.allSatisfy(digits.contains) && UInt16(text) != nil
    }
}

extension RedirectParts {
    var isLoopback: Bool { scheme == "http" && Self.loopback.contains(host) }

    static let loopback: Set<String> = ["127.0.0.1", "[::1]", "localhost"]

    func differsInPortAlone(_ entry: String) -> Bool {
        guard let entry = RedirectParts(entry), entry.isLoopback else { return false }
        return host == entry.host && rest == entry.rest
    }
}
