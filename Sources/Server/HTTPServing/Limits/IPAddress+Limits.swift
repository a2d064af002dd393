package import GatehouseWire

extension IPAddress {
    /// An IPv4 address, or one subscriber's IPv6 /64.
    package var limitKey: String {
        version4.map { String($0 & 0xFFFF_FFFF, radix: 16) } ?? String(high, radix: 16) + "/64"
    }

    /// A site's IPv6 /48; nil for IPv4.
    package var siteKey: String? { version4 == nil ? String(high >> 16, radix: 16) + "/48" : nil }

    /// For fair queueing: an IPv4 address, or an IPv6 /64.
    package var subscriber: UInt64 { version4 ?? high }
    /// Shares turns in fair queueing: an IPv4 /24, or an IPv6 /48.
    package var block: UInt64 { version4.map { $0 >> 8 } ?? high >> 16 }

    /// Includes translated addresses: behind a NAT64, all of IPv4 would be one subscriber.
    private var version4: UInt64? { isVersion4 ? low : translatedVersion4?.low }
}
