package import GatehouseWire

/// Parsed alike everywhere; see ``URLParts``. Refuses fragments.
package struct ProviderURL: Hashable, Sendable {
    private let parts: URLParts

    package init?(_ text: String) {
        guard let parts = URLParts(text), parts.isWeb, parts.hasUnambiguousHost, parts.hasOnlyURLCharacters,
            !parts.rest.contains(ascii: "#")
        else { return nil }
        self.parts = parts
    }

    package var isSecure: Bool { parts.scheme == "https" }
    /// Lower case; an IPv6 address without brackets.
    package var host: String { parts.host.hasPrefix("[") ? String(parts.host.dropFirst().dropLast()) : parts.host }
    package var port: Int { parts.port.map { Int($0) } ?? (isSecure ? 443 : 80) }
    package var address: IPAddress? { parts.address }
    package var text: String { parts.text }
    package var path: String { String(Substring(parts.rest.utf8.prefix { $0 != UInt8(ascii: "?") })) }

    /// Does not resolve names.
    package var isLoopback: Bool { address?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost")) }

    /// Scheme, host and port.
    var origin: String { "\(parts.scheme)://\(parts.host)\(parts.port.map { ":\($0)" } ?? "")" }

    /// The URL with an extended path and without its query.
    func appending(path: String) -> ProviderURL? {
        let base = description
        return ProviderURL((base.hasSuffix("/") ? String(base.dropLast()) : base) + path)
    }
}

extension ProviderURL: CustomStringConvertible {
    /// Without the query.
    package var description: String { String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })) }
}
