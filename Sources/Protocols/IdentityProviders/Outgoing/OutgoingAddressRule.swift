package import GatehouseWire

/// Only https and public addresses, so that a discovery document cannot reach the internal network (SSRF). Configurable
/// exceptions: loopback, including http, for simulated providers; and CIDR networks, for internal providers.
package struct OutgoingAddressRule: Sendable {
    package enum Refusal: Error, Equatable, Sendable {
        case notHTTPS(host: String)
        case notPublic(host: String)
        case noAddress(host: String)
    }

    private let allowsLoopback: Bool
    private let allowedNetworks: [IPNetwork]

    package init(allowsLoopback: Bool = false, allowedNetworks: [IPNetwork] = []) {
        (self.allowsLoopback, self.allowedNetworks) = (allowsLoopback, allowedNetworks)
    }

    /// A host name passes; ``check(_:of:)`` checks its addresses.
    ///
    /// - Throws: ``Refusal/notHTTPS(host:)``, or ``Refusal/notPublic(host:)`` for an address or loopback name that is
    ///   not allowed.
    package func check(_ url: ProviderURL) throws(Refusal) {
        guard url.isSecure || (allowsLoopback && url.isLoopback) else { throw .notHTTPS(host: url.host) }
        if let address = url.address {
            guard allows(address, of: url) else { throw .notPublic(host: url.host) }
        } else if url.isLoopback && !allowsLoopback {
            throw .notPublic(host: url.host)
        }
    }

    /// Checks every address in the DNS answer. Connect to one of them, not to the name, which may resolve differently
    /// next time.
    ///
    /// - Throws: As ``check(_:)``; ``Refusal/notPublic(host:)`` if one address is not allowed,
    ///   ``Refusal/noAddress(host:)`` for an empty list.
    package func check(_ addresses: [IPAddress], of url: ProviderURL) throws(Refusal) {
        try check(url)
        guard !addresses.isEmpty else { throw .noAddress(host: url.host) }
        guard addresses.allSatisfy({ allows($0, of: url) }) else { throw .notPublic(host: url.host) }
    }

    /// Checks only the scheme: the browser is in a different network.
    func checkForBrowser(_ url: ProviderURL) throws(Refusal) {
        guard url.isSecure || (allowsLoopback && url.isLoopback) else { throw .notHTTPS(host: url.host) }
    }

    private func allows(_ address: IPAddress, of url: ProviderURL) -> Bool {
        // http is for loopback only, whatever networks are configured.
        if !url.isSecure { return allowsLoopback && url.isLoopback && address.isLoopback }
        if address.isPublic || allowedNetworks.contains(where: { $0.contains(address) }) { return true }
        return allowsLoopback && url.isLoopback && address.isLoopback
    }
}
