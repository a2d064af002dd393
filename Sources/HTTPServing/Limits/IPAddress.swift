import GatehouseWire

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) equals the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    /// The 128 bits in IPv6 form.
    let high: UInt64
    let low: UInt64

    package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses an address alone, in brackets, or with a port as proxies write it (`192.0.2.1:80`, `[::1]:80`). Ignores a
    /// zone (`%eth0`).
    package init?(_ text: some StringProtocol) {
        // The longest form has 45 characters, two brackets, a port and a zone.
        guard text.utf8.count <= 128, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var text = Substring(text)
        if text.hasPrefix("[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.contains(ascii: "."), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text[colon...].dropFirst().allSatisfy(\.isNumber)
        {
            text = text[..<colon]
        }
        text = Substring(text.utf8.prefix { $0 != UInt8(ascii: "%") })
        if text.contains(ascii: ":") {
            guard let groups = Self.groups(text) else { return nil }
            high = groups[..<4].reduce(0) { $0 << 16 | UInt64($1) }
            low = groups[4...].reduce(0) { $0 << 16 | UInt64($1) }
        } else {
            guard let address = Self.version4(text) else { return nil }
            high = 0
            low = 0xFFFF << 32 | UInt64(address)
        }
    }

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

    /// The IPv4 address as the limits count it, with the bits that mark it. A NAT64 writes it into its one /96 (RFC 6052
    /// §2.1), where all of IPv4 would be a single subscriber.
    private var version4: UInt64? {
        if isVersion4 { return low }
        return high == 0x64_FF9B_0000_0000 && low >> 32 == 0 ? 0xFFFF << 32 | low : nil
    }

    private static func version4(_ text: Substring) -> UInt32? {
        let parts = text.split(ascii: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                part.utf8.count == 1 || part.utf8.first != 0x30, let byte = UInt8(part)
            else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }

    /// The eight groups of RFC 4291 §2.2, with at most one `::` and an optional IPv4 tail.
    private static func groups(_ text: Substring) -> [UInt16]? {
        var text = text
        var tail: [UInt16] = []
        if text.contains(ascii: "."), let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) {
            guard let address = version4(text[text.index(after: colon)...]) else { return nil }
            tail = [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
            text = text[...colon]
            // The colon before the tail is a separator, unless it belongs to `::`.
            if !text.hasSuffix("::") { text = text.dropLast() }
        }
        guard let (before, after) = halves(text) else { return nil }
        guard let after else { return before.count + tail.count == 8 ? before + tail : nil }
        let missing = 8 - before.count - after.count - tail.count
        guard missing >= 1 else { return nil }
        return before + Array(repeating: 0, count: missing) + after + tail
    }

    /// The groups before and after `::`; `after` is nil without one.
    private static func halves(_ text: Substring) -> (before: [UInt16], after: [UInt16]?)? {
        var start = text.startIndex
        while start < text.endIndex, !text[start...].hasPrefix("::") { start = text.index(after: start) }
        guard let before = list(text[..<start]) else { return nil }
        guard start < text.endIndex else { return (before, nil) }
        guard let after = list(text[start...].dropFirst(2)) else { return nil }
        return (before, after)
    }

    private static func list(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        for part in text.split(ascii: ":", omittingEmptySubsequences: false) {
            guard (1...4).contains(part.utf8.count), let group = UInt16(part, radix: 16), !part.hasPrefix("+") else {
                return nil
            }
            groups.append(group)
        }
        return groups
    }
}

/// A CIDR block (RFC 4632): `10.0.0.0/8`, `fd00::/8`, or a single address.
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    /// 0 to 128, in terms of the IPv6 form.
    private let length: Int

    package init?(_ text: String) {
        let parts = text.split(ascii: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = IPAddress(parts[0]) else { return nil }
        let width = address.isVersion4 ? 32 : 128
        guard let length = parts.count == 1 ? width : Int(parts[1]), (0...width).contains(length) else { return nil }
        self.length = length + 128 - width
        self.address = Self.masked(address, self.length)
    }

    package func contains(_ other: IPAddress) -> Bool { Self.masked(other, length) == address }

    private static func masked(_ address: IPAddress, _ length: Int) -> IPAddress {
        IPAddress(
            high: address.high & (UInt64.max << UInt64(max(0, 64 - length))),
            low: address.low & (UInt64.max << UInt64(max(0, min(64, 128 - length)))))
    }
}
