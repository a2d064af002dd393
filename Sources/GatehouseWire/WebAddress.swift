/// The URLs that a profile may contain.
package enum WebAddress {
    /// In Unicode scalars.
    package static let longest = 2_048

    /// Whether the text is an `https` URL, or an `http` one on this machine for development. Allows only the characters
    /// of RFC 3986 and no user part, and requires a host.
    ///
    /// Other users see it as an image: a `data:` or `javascript:` URL, or one with quotes, could do harm.
    package static func isAllowed(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !forbidden.contains($0) }) else { return false }
        let lowered = text.lowercased()
        let isSecure = lowered.hasPrefix("https://")
        guard isSecure || lowered.hasPrefix("http://") else { return false }
        let authority = lowered.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
        guard let host = host(authority) else { return false }
        return isSecure || ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Whether a sign-up or a provider may set the text as a picture: an allowed URL with `https`.
    package static func isPicture(_ text: String) -> Bool {
        text.utf8.count <= longest && isAllowed(text) && text.prefix(5).lowercased() == "https"
    }

    private static let forbidden = Set<UInt8>("\"<>\\^`{|}".utf8)

    private static func host(_ authority: Substring) -> Substring? {
        if authority.hasPrefix("[") {
            guard let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")),
                isPort(authority[authority.index(after: end)...])
            else {
                return nil
            }
            let inner = authority[..<end].dropFirst()
            guard inner.contains(ascii: ":"), inner.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            return authority[...end]
        }
        let host = Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })
        guard !host.isEmpty, isPort(authority[host.endIndex...]), !host.hasPrefix("."), !host.contains(".."),
            host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
        else { return nil }
        return host
    }

    /// Empty, or a colon and a port.
    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || (text.hasPrefix(":") && text.dropFirst().allSatisfy(\.isNumber) && UInt16(text.dropFirst()) != nil)
    }
}
