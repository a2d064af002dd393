import GatehouseWire

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) equals the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    /// - Returns: nil for a length other than 4 or 16.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = Self.isMapped(bytes) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// - Parameter text: Four decimal numbers, or IPv6 without brackets and zone (RFC 4291 §2.2).
    package init?(_ text: String) {
        guard text.utf8.count <= 45, text.utf8.allSatisfy(Self.isPartOfAddress), let bytes = networkBytes(text) else {
            return nil
        }
        self.init(bytes: bytes)
    }

    private static func isPartOfAddress(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || Character(Unicode.Scalar(byte)).isHexDigit
    }

    /// `::ffff:0:0/96` (RFC 4291 §2.5.5.2).
    private static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether the address is reachable over the internet.
    ///
    /// For IPv6 this is the space that IANA has allocated (2000::/3) without its reserved parts, and NAT64's well-known
    /// prefix with a public IPv4 address. Tunnels to arbitrary addresses are not public.
    package var isPublic: Bool {
        if bytes.count == 4 { return !IPNetwork.reservedIPv4.contains { $0.contains(self) } }
        if IPNetwork.nat64.contains(self) { return IPAddress(bytes: Array(bytes.suffix(4)))?.isPublic ?? false }
        return IPNetwork.globalUnicast.contains(self) && !IPNetwork.reservedIPv6.contains { $0.contains(self) }
    }
}

/// A CIDR block such as `10.0.0.0/8`.
package struct IPNetwork: Hashable, Sendable {
    private let first: [UInt8]
    private let bits: Int

    /// - Parameter text: CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), or a single address.
    /// - Returns: nil if bits after the prefix are set, which indicates a mistake.
    package init?(_ text: String) {
        let parts = text.split(ascii: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let all = address.bytes.count * 8
        guard let bits = parts.count == 1 ? all : Self.number(parts[1]), bits <= all else { return nil }
        self.init(first: address.bytes, bits: bits)
        guard masked(first) == first else { return nil }
    }

    private init(first: [UInt8], bits: Int) { (self.first, self.bits) = (first, bits) }

    private static func number(_ text: String) -> Int? {
        text.utf8.count <= 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == first.count && masked(address.bytes) == first
    }

    private func masked(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, bits - index * 8))
            return kept == 0 ? 0 : byte & (0xFF << UInt8(8 - kept))
        }
    }
}

extension IPNetwork {
    static let globalUnicast = IPNetwork(first: [0x20] + [UInt8](repeating: 0, count: 15), bits: 3)
    /// `64:ff9b::/96` (RFC 6052 §2.1).
    static let nat64 = IPNetwork(first: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 12), bits: 96)

    /// IANA's special-purpose addresses, multicast, and one address that a cloud provider reserves.
    static let reservedIPv4 = networks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16")

    /// Reserved parts of 2000::/3: protocol assignments including Teredo, documentation, 6to4.
    static let reservedIPv6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

    private static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap(IPNetwork.init) }
}
