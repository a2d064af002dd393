package import GatehouseWire

extension IPAddress {
    /// The unit that limits count: an IPv4 address, or the IPv6 /64 of one subscriber.
    package var limitKey: String {
        version4.map { String($0 & 0xFFFF_FFFF, radix: 16) } ?? String(high, radix: 16) + "/64"
    }

    /// The IPv6 /48 of a site, which contains 65,536 /64 networks; nil for IPv4.
    package var siteKey: String? { version4 == nil ? String(high >> 16, radix: 16) + "/48" : nil }

    /// The unit of fair queueing: an IPv4 address, or the IPv6 /64 of one subscriber.
    package var subscriber: UInt64 { version4 ?? high }
    /// The group of addresses that shares turns in fair queueing: an IPv4 /24, or an IPv6 /48.
    package var block: UInt64 { version4.map { $0 >> 8 } ?? high >> 16 }

    /// The IPv4 address as the limits count it, with the bits that mark it. Behind a NAT64, all of IPv4 would be a single
    /// subscriber.
    private var version4: UInt64? { isVersion4 ? low : translatedVersion4?.low }
}
