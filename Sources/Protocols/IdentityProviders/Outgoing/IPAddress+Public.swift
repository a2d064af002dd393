package import GatehouseWire

extension IPAddress {
    /// For IPv6: IANA's allocation (2000::/3) without its reserved parts, and NAT64's well-known prefix with a public
    /// IPv4 address. Tunnels to arbitrary addresses are not public.
    package var isPublic: Bool {
        if isVersion4 { return !Self.reservedIPv4.contains { $0.contains(self) } }
        if let behind = translatedVersion4 { return behind.isPublic }
        return high >> 61 == 0b001 && !Self.reservedIPv6.contains { $0.contains(self) }
    }

    /// IANA's special-purpose addresses, multicast, and a cloud provider's reserved address.
    private static let reservedIPv4 = networks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16")

    /// In 2000::/3: protocol assignments including Teredo, documentation, 6to4.
    private static let reservedIPv6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork($0) } }
}
