import GatehouseWire

/// Which addresses this server calls when a provider, or whoever configured one, names them.
///
/// https only, and only what is public: a discovery document must not turn the server into a key to the network
/// it stands in. Two exceptions are configuration: loopback, with http as well, for stand-ins on one machine; and
/// networks by number, for a provider in one's own house.
package struct OutgoingAddressRule: Sendable {
    package enum Refusal: Error, Equatable, Sendable {
        case notHTTPS(host: String)
        case notPublic(host: String)
        /// The name leads nowhere.
        case noAddress(host: String)
    }

    private let allowsLoopback: Bool
    private let allowedNetworks: [IPNetwork]

    package init(allowsLoopback: Bool = false, allowedNetworks: [IPNetwork] = []) {
        (self.allowsLoopback, self.allowedNetworks) = (allowsLoopback, allowedNetworks)
    }

    /// What the URL alone shows. A name passes here and is judged by ``check(_:of:)``.
    package func check(_ url: ProviderURL) throws(Refusal) {
        guard url.isSecure || (allowsLoopback && url.isLoopback) else { throw .notHTTPS(host: url.host) }
        if let address = url.address {
            guard allows(address, of: url) else { throw .notPublic(host: url.host) }
        } else if url.isLoopback && !allowsLoopback {
            throw .notPublic(host: url.host)
        }
    }

    /// Every address of the DNS answer has to be allowed: which one the connection takes is not ours to choose.
    /// Connect to these addresses and not to the name, or the next answer may be another.
    package func check(_ addresses: [IPAddress], of url: ProviderURL) throws(Refusal) {
        try check(url)
        guard !addresses.isEmpty else { throw .noAddress(host: url.host) }
        guard addresses.allSatisfy({ allows($0, of: url) }) else { throw .notPublic(host: url.host) }
    }

    /// Where a browser may be sent: it stands in a network of its own, so only the scheme counts.
    func checkForBrowser(_ url: ProviderURL) throws(Refusal) {
        guard url.isSecure || (allowsLoopback && url.isLoopback) else { throw .notHTTPS(host: url.host) }
    }

    private func allows(_ address: IPAddress, of url: ProviderURL) -> Bool {
        // http goes to this machine only, whatever networks are allowed.
        if !url.isSecure { return allowsLoopback && url.isLoopback && address.isLoopback }
        if address.isPublic || allowedNetworks.contains(where: { $0.contains(address) }) { return true }
        return allowsLoopback && url.isLoopback && address.isLoopback
    }
}
