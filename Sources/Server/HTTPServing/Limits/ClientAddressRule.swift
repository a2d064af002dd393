package import GatehouseWire
package import HTTPTypes
import Logging
import Synchronization

package struct ClientAddressRule: Sendable {
    package enum Source: Sendable {
        /// The connection's peer.
        case peer
        /// The header, from these proxies. Uses the right-most address that is not a proxy: the client can forge
        /// everything to its left (RFC 7239 §8.1).
        case header(HTTPField.Name, from: [IPNetwork])
        /// The header's first address, from any peer, like Supabase Auth's `GOTRUE_RATE_LIMIT_HEADER`. Requests without
        /// it are not limited. Safe only if clients cannot bypass the proxy.
        case headerFromAnyone(HTTPField.Name)
    }

    private let source: Source

    package init(_ source: Source) { self.source = source }

    /// - Returns: nil for a Unix socket, or a missing or malformed header.
    package func address(peer: String?, _ headers: HTTPFields) -> IPAddress? {
        let peer = peer.flatMap { IPAddress($0) }
        switch source {
        case .peer: return peer
        case .headerFromAnyone(let name):
            let first = headers[name]?.split(ascii: ",", maxSplits: 1).first
            return first.flatMap { IPAddress(forwarded: Self.trimmed($0)) }
        case .header(let name, let proxies):
            guard let peer, let chain = headers[name], proxies.contains(where: { $0.contains(peer) }) else {
                return peer
            }
            var nearest = peer
            for part in chain.split(ascii: ",").reversed() {
                // None of our proxies wrote this, so use the last known address.
                guard let address = IPAddress(forwarded: Self.trimmed(part)) else { return nearest }
                nearest = address
                guard proxies.contains(where: { $0.contains(address) }) else { return address }
            }
            return nearest
        }
    }

    /// An untrusted proxy's clients share one address. A client that sets the header looks the same.
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

    /// RFC 7239 and its predecessor.
    private static let forwarding = [HTTPField.Name("X-Forwarded-For")!, HTTPField.Name("Forwarded")!]

    /// A proxy's connections belong to many clients.
    package func isProxy(_ peer: IPAddress) -> Bool {
        switch source {
        case .peer: false
        case .headerFromAnyone: true
        case .header(_, let proxies): proxies.contains { $0.contains(peer) }
        }
    }

    /// For the user's list of sessions. Without proxies this is the peer, unparsed.
    package func text(peer: String?, _ headers: HTTPFields) -> String? {
        if case .peer = source { return peer }
        return address(peer: peer, headers).map { "\($0)" }
    }

    /// nil if this rule uses the peer's address.
    package func field(naming address: String) -> HTTPField? {
        if case .headerFromAnyone(let name) = source { HTTPField(name: name, value: address) } else { nil }
    }

    /// For a server behind this one. `X-Forwarded-For` without proxies.
    package func forwarded(_ address: String) -> HTTPField {
        switch source {
        case .peer: HTTPField(name: Self.forwarding[0], value: address)
        case .header(let name, _), .headerFromAnyone(let name): HTTPField(name: name, value: address)
        }
    }

    /// See ``IPAddress/limitKey``.
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

/// Counts requests through untrusted proxies and warns once: rate limits treat such a proxy's clients as one address.
final class ForwardingMonitor: Sendable {
    private let rule: ClientAddressRule
    private let requests: Counter
    private let hasWarned = Atomic(false)

    init(_ rule: ClientAddressRule, _ metrics: ServerMetrics) {
        self.rule = rule
        requests = metrics.counter(
            "gatehouse_untrusted_forwarded_requests_total",
            "Rate-limited requests that came through an untrusted proxy.")
    }

    func look(at headers: HTTPFields, _ context: ServerContext) {
        guard rule.ignoresForwarding(peer: context.peerAddress, headers) else { return }
        requests.increment()
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        context.event(
            .warning, "a proxy that is not trusted passes requests on",
            [.cause: "rate limits count all its clients as one address; add its network to trusted_proxies"])
    }
}
