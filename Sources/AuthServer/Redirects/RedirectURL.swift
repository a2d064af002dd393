import GatehouseWire

/// An address that RFC 3986 and the URL Standard of WHATWG read alike, by the parts that a pattern is compared with.
struct RedirectURL: Sendable {
    let scheme: String
    let hasAuthority: Bool
    /// Lower case.
    let host: String
    /// With the scheme's own where none is named; empty for a scheme that has none.
    let port: String
    /// `/` at least where browsers add it.
    let path: String
    /// Behind the first `?`.
    let query: String?

    /// The schemes whose addresses browsers mend, with their ports (URL Standard §4.2 "special scheme").
    static let ports = ["http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"]

    var isSpecial: Bool { Self.ports[scheme] != nil }
    var hasUsualPort: Bool { port == Self.ports[scheme] ?? "" }

    /// - Returns: Nil where the two could differ: a number in another form than `127.0.0.1` as a host (`0x7f.1`), an
    ///   empty label, dot segments (`/a/../b`, `%2e` too), a `%` without two hexadecimal digits, and every character
    ///   that RFC 3986 does not have in that place.
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
    /// Neither an address that is not this machine's, nor a name that DNS does not have (contract 1.6, 3).
    var hasOrdinaryHost: Bool {
        !isSpecial || RedirectParts.loopback.contains(host) || !Self.isAddress(host) && !host.utf8.contains(0x5F)
    }

    /// Labels that browsers show, and check, as letters of other scripts.
    var encodedLabels: [Substring] { host.split(separator: ".").filter { $0.hasPrefix("xn--") } }

    func hasOrigin(of site: RedirectURL) -> Bool {
        scheme == site.scheme && hasAuthority == site.hasAuthority && host == site.host
            && (port == site.port || scheme == "http" && RedirectParts.loopback.contains(host))
    }
}

// What both standards read alike.
extension RedirectURL {
    /// Of letters, digits, `-` and `_`, and no number at the end: browsers take `0x5db8d822` and `1.2.3.08` for
    /// addresses (URL Standard §3.5 "ends in a number").
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

    /// Four numbers as everybody writes them, or what stands in brackets.
    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            return host.utf8.dropFirst().dropLast().allSatisfy { isHexadecimal($0) || ".:".utf8.contains($0) }
        }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0).map { String($0) } == String($0) }
    }

    /// `reg-name` of RFC 3986 §3.2.2 for an app's own scheme, without percent encoding.
    private static func isOfOwnHost(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=".utf8.contains(byte)
    }

    /// `pchar`, `/` and `?` of RFC 3986 §3.3 to 3.5.
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

    /// `.` and `..`, which browsers take out, in all their spellings (URL Standard §4.4 "path state").
    private static func isDots(_ segment: Substring) -> Bool {
        segment.utf8.count <= 6 && [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isOfLabel(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || ".~".utf8.contains(byte)
    }

    /// In lower case.
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
