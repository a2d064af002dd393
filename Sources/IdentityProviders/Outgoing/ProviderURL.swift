package import GatehouseWire

/// An http or https URL without ambiguities between parsers.
///
/// Refuses user names, fragments, spaces, backslashes, non-ASCII text, and hosts that are numbers in other forms
/// (`127.1`, `0x7f.1`, `2130706433`).
package struct ProviderURL: Hashable, Sendable {
    /// In bytes.
    package static let maximumLength = 2_048

    package let isSecure: Bool
    /// In lower case; an IPv6 address without brackets.
    package let host: String
    package let port: Int
    /// The address if the host is one, otherwise nil.
    package let address: IPAddress?
    /// Path and query, unchanged.
    private let rest: String
    private let authority: String

    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy(Self.isAllowed),
            let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) })
        else { return nil }
        let remainder = text.dropFirst(scheme.count)
        let authority = Substring(
            remainder.utf8.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        ).lowercased()
        isSecure = scheme == "https://"
        guard let (name, port) = Self.split(authority, defaultPort: isSecure ? 443 : 80) else { return nil }
        address = IPAddress(name)
        guard address != nil || Self.isName(name) else { return nil }
        (host, self.port, self.authority) = (name, port, authority)
        rest = String(remainder.dropFirst(authority.count))
    }

    package var text: String { (isSecure ? "https://" : "http://") + authority + rest }

    /// Whether the host in the URL is loopback. Does not resolve names.
    package var isLoopback: Bool {
        address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
    }

    /// The URL with an extended path and without its query.
    func appending(path: String) -> ProviderURL? {
        var base = String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") }))
        if base.hasSuffix("/") { base.removeLast() }
        return ProviderURL(base + path)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#"\"<>^`{|}#"#.utf8.contains(byte)
    }

    private static func split(_ authority: String, defaultPort: Int) -> (name: String, port: Int)? {
        var (name, port) = (authority[...], ""[...])
        if authority.hasPrefix("[") {
            guard let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            name = authority[authority.index(after: authority.startIndex)..<end]
            port = authority[authority.index(after: end)...]
            guard name.contains(ascii: ":") else { return nil }
        } else if let colon = authority.utf8.firstIndex(of: UInt8(ascii: ":")) {
            (name, port) = (authority[..<colon], authority[colon...])
        }
        guard !port.isEmpty else { return (String(name), defaultPort) }
        let digits = port.dropFirst()
        guard port.hasPrefix(":"), (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit),
            let number = Int(digits), (1...65_535).contains(number)
        else { return nil }
        return (String(name), number)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isName(_ name: String) -> Bool {
        guard name.utf8.count <= 253 else { return false }
        let labels = name.split(ascii: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
        // Resolvers would parse this as a number.
        return !last.utf8.allSatisfy(isDigit) && !last.hasPrefix("0x")
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F }
    }
}

extension ProviderURL: CustomStringConvertible {
    /// The URL without its query.
    package var description: String { String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })) }
}
