import GatehouseWire
package import HTTPTypes

/// Who a request is from, when proxies stand in between.
package struct ClientAddressRule: Sendable {
    package enum Source: Sendable {
        /// The other end of the connection, always.
        case peer
        /// The header, if the peer is one of these; the right-most address that is none of them, because everything
        /// further left is what the caller wrote there (RFC 7239 §8.1).
        case header(HTTPField.Name, from: [IPNetwork])
        /// The first address of the header, whoever sent it; a request without the header is not limited. This is
        /// what `GOTRUE_RATE_LIMIT_HEADER` means (contract 8.1). Only for servers that nobody reaches but through
        /// a proxy which sets the header itself.
        case headerFromAnyone(HTTPField.Name)
    }

    private let source: Source

    package init(_ source: Source) { self.source = source }

    /// - Returns: nil when the address is not known: a Unix socket, or a header that is missing or unreadable.
    package func address(peer: String?, _ headers: HTTPFields) -> IPAddress? {
        let peer = peer.flatMap { IPAddress($0) }
        switch source {
        case .peer: return peer
        case .headerFromAnyone(let name):
            return headers[name]?.split(ascii: ",", maxSplits: 1).first.flatMap { IPAddress(Self.trimmed($0)) }
        case .header(let name, let proxies):
            guard let peer, let chain = headers[name], proxies.contains(where: { $0.contains(peer) }) else {
                return peer
            }
            var nearest = peer
            for part in chain.split(ascii: ",").reversed() {
                // Unreadable: whoever wrote it is not one of our proxies, so the last one that is known counts.
                guard let address = IPAddress(Self.trimmed(part)) else { return nearest }
                nearest = address
                guard proxies.contains(where: { $0.contains(address) }) else { return address }
            }
            return nearest
        }
    }

    /// Whether a proxy passed the request on and is not believed, so that all its callers have the proxy's address.
    /// A caller who writes such a header without a proxy looks the same.
    package func ignoresForwarding(peer: String?, _ headers: HTTPFields) -> Bool {
        switch source {
        case .headerFromAnyone: return false
        case .peer: return Self.forwarding.contains(where: headers.contains)
        case .header(let name, let proxies):
            guard headers.contains(name) || Self.forwarding.contains(where: headers.contains) else { return false }
            guard let peer = peer.flatMap({ IPAddress($0) }) else { return false }
            return !proxies.contains { $0.contains(peer) }
        }
    }

    /// What proxies name the caller in (RFC 7239, and the custom before it).
    private static let forwarding = [HTTPField.Name("X-Forwarded-For")!, HTTPField.Name("Forwarded")!]

    /// Whether the peer is a proxy, which has the connections of many callers.
    package func isProxy(_ peer: IPAddress) -> Bool {
        switch source {
        case .peer: false
        case .headerFromAnyone: true
        case .header(_, let proxies): proxies.contains { $0.contains(peer) }
        }
    }

    /// The address as text, for the person's list of devices; without proxies it is the peer's, unread.
    package func text(peer: String?, _ headers: HTTPFields) -> String? {
        if case .peer = source { return peer }
        return address(peer: peer, headers).map { "\($0)" }
    }

    /// The address as the key of a bucket; see ``IPAddress/limitKey``.
    package func limitKey(peer: String?, _ headers: HTTPFields) -> String? {
        address(peer: peer, headers)?.limitKey
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, UInt8(ascii: "\"")].contains(byte) }
        var bytes = text.utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return Substring(bytes)
    }
}
