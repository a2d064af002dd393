import GatehouseWire

/// A URL that RFC 3986 and the WHATWG URL Standard parse alike.
struct RedirectURL: Sendable {
    let scheme: String
    let hasAuthority: Bool
    /// In lower case.
    let host: String
    /// The scheme's default if absent; empty without one.
    let port: String
    /// At least `/` where browsers add it.
    let path: String
    /// After the first `?`, without the fragment.
    let query: String?
    private let isAddress: Bool

    /// The special schemes, whose URLs browsers rewrite, and their default ports (URL Standard §4.2).
    static let ports = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    var isSpecial: Bool { Self.ports[scheme] != nil }
    var hasUsualPort: Bool { port == Self.ports[scheme] ?? "" }

    /// - Returns: nil if the standards could disagree: a numeric host not written like `127.0.0.1` (`0x7f.1`), an empty
    ///   label, dot segments (`/a/../b`, also as `%2e`), a `%` without two hexadecimal digits, or a character that RFC
    ///   3986 does not allow there.
    init?(_ parts: URLParts) {
        (scheme, hasAuthority, host, isAddress) = (parts.scheme, parts.hasAuthority, parts.host, parts.address != nil)
        let usualPort = Self.ports[parts.scheme]
        guard usualPort == nil ? host.utf8.allSatisfy(Self.isOfOwnHost) : parts.hasUnambiguousHost else { return nil }
        port = parts.port.map { String($0) } ?? usualPort ?? ""
        let beforeFragment = parts.rest.prefix { $0 != "#" }
        let path = beforeFragment.prefix { $0 != "?" }
        guard Self.isEncoded(beforeFragment), Self.isEncoded(parts.rest.dropFirst(beforeFragment.count).dropFirst()),
            !path.split(separator: "/").contains(where: Self.isDots)
        else { return nil }
        self.path = usualPort != nil && path.isEmpty ? "/" : String(path)
        query = path.count < beforeFragment.count ? String(beforeFragment.dropFirst(path.count + 1)) : nil
    }
}

extension RedirectURL {
    /// A DNS name without underscores, or loopback.
    var hasOrdinaryHost: Bool {
        !isSpecial || URLParts.loopbackHosts.contains(host) || !isAddress && !host.contains(ascii: "_")
    }

    /// Labels that browsers check and display in other scripts.
    var encodedLabels: [Substring] { host.split(separator: ".").filter { $0.hasPrefix("xn--") } }

    func hasOrigin(of site: RedirectURL) -> Bool {
        scheme == site.scheme && hasAuthority == site.hasAuthority && host == site.host
            && (port == site.port || scheme == "http" && URLParts.loopbackHosts.contains(host))
    }
}

extension RedirectURL {
    /// A `reg-name` character (RFC 3986 §3.2.2) without percent encoding, for apps' own schemes.
    private static func isOfOwnHost(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte)
    }

    /// Only `pchar`, `/` and `?` (RFC 3986 §3.3 to 3.5).
    private static func isEncoded(_ text: Substring) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexadecimal) else { return false }
                rest = rest.dropFirst(2)
            } else if !isUnreserved(byte), !"!$&'()*+,;=:@/?".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    /// `.` or `..` in any spelling, which browsers remove (URL Standard §4.4 "path state").
    private static func isDots(_ segment: Substring) -> Bool {
        segment.utf8.count <= 6 && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool { Character(Unicode.Scalar(byte)).isHexDigit }
}
