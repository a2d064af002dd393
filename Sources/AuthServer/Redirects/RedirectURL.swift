import GatehouseWire

/// A URL that RFC 3986 and the WHATWG URL Standard parse to the same parts.
struct RedirectURL: Sendable {
    let scheme: String
    let hasAuthority: Bool
    /// In lower case.
    let host: String
    /// The scheme's default port if the URL names none; empty if the scheme has no default.
    let port: String
    /// At least `/` for schemes where browsers add it.
    let path: String
    /// Everything after the first `?`, without the fragment.
    let query: String?

    /// The special schemes and their default ports (URL Standard §4.2). Browsers rewrite their URLs.
    static let ports = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    var isSpecial: Bool { Self.ports[scheme] != nil }
    var hasUsualPort: Bool { port == Self.ports[scheme] ?? "" }

    /// - Returns: nil if the two standards could disagree: a host that is a number in a form other than `127.0.0.1`
    ///   (`0x7f.1`), an empty label, dot segments (`/a/../b`, also as `%2e`), a `%` without two hexadecimal digits, or
    ///   a character that RFC 3986 does not allow there.
    init?(_ parts: RedirectParts) {
        (scheme, hasAuthority, host) = (parts.scheme, parts.hasAuthority, parts.host)
        let usualPort = Self.ports[parts.scheme]
        let isReadAlike =
            usualPort == nil
            ? host.utf8.allSatisfy(Self.isOfOwnHost) : hasAuthority && (Self.isName(host) || Self.isAddress(host))
        guard isReadAlike else { return nil }
        // `:0443` is `:443`.
        port = UInt16(parts.port).map { String($0) } ?? usualPort ?? ""
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
    /// Whether the host is a DNS name or loopback: no other IP address, and no name with an underscore.
    var hasOrdinaryHost: Bool {
        !isSpecial || RedirectParts.loopback.contains(host) || !Self.isAddress(host) && !host.utf8.contains(0x5F)
    }

    /// Labels that browsers check and display as letters of other scripts.
    var encodedLabels: [Substring] { host.split(separator: ".").filter { $0.hasPrefix("xn--") } }

    func hasOrigin(of site: RedirectURL) -> Bool {
        scheme == site.scheme && hasAuthority == site.hasAuthority && host == site.host
            && (port == site.port || scheme == "http" && RedirectParts.loopback.contains(host))
    }
}

// Syntax that both standards read alike.
extension RedirectURL {
    /// Whether the host consists of letters, digits, `-` and `_`, and does not end in a number: browsers read
    /// `0x5db8d822` and `1.2.3.08` as addresses (URL Standard §3.5 "ends in a number").
    private static func isName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isOfLabel) } && !isNumber(labels[labels.count - 1])
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        isHexadecimal(byte) || (UInt8(ascii: "g")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    private static func isNumber(_ label: Substring) -> Bool {
        let digits = label.hasPrefix("0x") ? label.dropFirst(2) : label
        return digits.utf8.allSatisfy { isHexadecimal($0) && (label.hasPrefix("0x") || $0 <= UInt8(ascii: "9")) }
    }

    /// Whether the host is dotted-decimal IPv4 or a bracketed IPv6 address.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.utf8.dropFirst().dropLast().allSatisfy { isHexadecimal($0) || ".:".utf8.contains($0) }
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0).map { String($0) } == String($0) }
    }

    /// A `reg-name` character (RFC 3986 §3.2.2) without percent encoding, for apps' own schemes.
    private static func isOfOwnHost(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte)
    }

    /// Whether the text consists of `pchar`, `/` and `?` (RFC 3986 §3.3 to 3.5).
    private static func isEncoded(_ text: Substring) -> Bool {
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ isHexadecimal($0 | 0x20) }) else { return false }
                rest = rest.dropFirst(2)
            } else if !isUnreserved(byte), !"!$&'()*+,;=:@/?".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    /// Whether the segment is `.` or `..` in any spelling. Browsers remove these (URL Standard §4.4 "path state").
    private static func isDots(_ segment: Substring) -> Bool {
        segment.utf8.count <= 6 && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isOfLabel(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || ".~".utf8.contains(byte)
    }

    /// Lower case only.
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
