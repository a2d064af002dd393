/// A parsed URL from a client or another server: redirects, provider endpoints, pictures.
///
/// Rejects text that RFC 3986 and the [URL Standard](https://url.spec.whatwg.org) split differently, or that browsers
/// repair or execute: user names, invalid ports, spaces, control characters, backslashes, non-ASCII characters, schemes
/// such as `javascript`. Path and query may stay ambiguous.
package struct URLParts: Hashable, Sendable {
    /// In bytes.
    package static let maximumLength = 2_048

    /// In lower case.
    package let scheme: String
    /// Whether `//` follows the scheme; true for http and https.
    package let hasAuthority: Bool
    /// In lower case, IPv6 in brackets.
    package let host: String
    package let address: IPAddress?
    package let port: UInt16?
    package let rest: String

    /// nil if refused, or over ``maximumLength`` bytes.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy(Self.isOfScheme), !Self.executedSchemes.contains(scheme)
        else { return nil }
        let remainder = text[colon...].dropFirst()
        hasAuthority = remainder.hasPrefix("//")
        let authority =
            hasAuthority ? Substring(remainder.utf8.dropFirst(2).prefix { !"/?#".utf8.contains($0) }) : ""
        rest = String(remainder.dropFirst(hasAuthority ? authority.utf8.count + 2 : 0))
        // `https://app.example@elsewhere.example` only looks like app.example.
        guard !authority.contains(ascii: "@"), let (host, port) = Self.hostAndPort(authority.lowercased()) else {
            return nil
        }
        (self.host, self.port) = (host, port)
        address = IPAddress(host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host)
        if host.hasPrefix("["), address == nil { return nil }
        if ["http", "https"].contains(scheme), host.isEmpty { return nil }
    }

    package var text: String {
        scheme + ":" + (hasAuthority ? "//" : "") + host + (port.map { ":\($0)" } ?? "") + rest
    }

    /// Scheme, host and port (RFC 6454 §4).
    package var origin: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }

    package var isWeb: Bool { ["http", "https"].contains(scheme) }

    package static let loopbackHosts = ["127.0.0.1", "[::1]", "localhost"]

    /// Browsers run or render their content.
    package static let executedSchemes = ["javascript", "data", "vbscript", "blob", "file", "about"]

    /// In lower case (RFC 3986 §3.1).
    package static func isOfScheme(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "+-.".utf8.contains(byte)
    }

    private static func hostAndPort(_ authority: String) -> (host: String, port: UInt16?)? {
        var end = authority.utf8.firstIndex(of: UInt8(ascii: ":"))
        if authority.hasPrefix("[") {
            guard let bracket = authority.utf8.firstIndex(of: UInt8(ascii: "]")),
                authority[..<bracket].contains(ascii: ":")
            else { return nil }
            end = authority.index(after: bracket)
        }
        guard let end, end < authority.endIndex else { return (authority, nil) }
        let digits = authority[end...].dropFirst()
        guard authority[end...].hasPrefix(":"), (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (String(authority[..<end]), port)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

extension URLParts {
    /// Whether RFC 3986 and the URL Standard agree on the host: an IP address, or a name of letters, digits, `-` and
    /// `_` that does not end in a number. Browsers read `0x5db8d822` and `1.2.3.08` as addresses (URL Standard §3.5).
    package var hasUnambiguousHost: Bool {
        if address != nil { return true }
        let labels = host.split(ascii: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253 && labels.allSatisfy(Self.isLabel) && !Self.isNumber(labels[labels.count - 1])
    }

    /// The characters of RFC 3986, or square brackets.
    package var hasOnlyURLCharacters: Bool { !rest.utf8.contains { "\"<>^`{|}".utf8.contains($0) } }

    /// Underscores are allowed.
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func isNumber(_ label: Substring) -> Bool {
        guard label.hasPrefix("0x") else { return label.utf8.allSatisfy(isDigit) }
        return label.utf8.dropFirst(2).allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}
