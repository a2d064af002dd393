import Foundation

/// IPv4 or IPv6. An IPv4-mapped address (`::ffff:192.0.2.1`) equals the IPv4 address.
package struct IPAddress: Hashable, Sendable {
    package let high: UInt64
    /// For IPv4: `0xFFFF` and the address's 32 bits.
    package let low: UInt64

    /// Also true of IPv4-mapped IPv6.
    package var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// `127.0.0.0/8` or `::1`.
    package var isLoopback: Bool { isVersion4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1 }

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    package init(version4: UInt32) { self.init(high: 0, low: 0xFFFF << 32 | UInt64(version4)) }

    /// The IPv4 address behind NAT64's well-known prefix (RFC 6052 §2.1).
    package var translatedVersion4: IPAddress? {
        high == 0x64_FF9B_0000_0000 && low >> 32 == 0 ? IPAddress(version4: UInt32(low)) : nil
    }

    /// 4 or 16 bytes in network order.
    package init?(bytes: [UInt8]) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        switch bytes.count {
        case 4: self.init(version4: UInt32(number(bytes[...])))
        case 16: self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
        default: return nil
        }
    }

    /// Parses four decimal numbers, or IPv6 without brackets and zone (RFC 4291 §2.2). Rejects leading zeros, fewer
    /// numbers and hexadecimal as ambiguous.
    package init?(_ text: String) {
        guard text.utf8.count <= 45, text.utf8.allSatisfy(Self.isPartOfAddress) else { return nil }
        var (version4, version6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &version4) == 1 {
            self.init(version4: UInt32(bigEndian: version4.s_addr))
        } else if inet_pton(AF_INET6, text, &version6) == 1 {
            let halves = withUnsafeBytes(of: version6) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
            self.init(high: UInt64(bigEndian: halves.0), low: UInt64(bigEndian: halves.1))
        } else {
            return nil
        }
    }

    /// Parses an address from a proxy: alone, in brackets, or with a port (`192.0.2.1:80`, `[::1]:80`). Ignores a zone
    /// (`%eth0`).
    package init?(forwarded text: some StringProtocol) {
        // The longest has 45 characters, two brackets, a port and a zone.
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
        self.init(String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "%") })))
    }

    private static func isPartOfAddress(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":") || Character(Unicode.Scalar(byte)).isHexDigit
    }
}

extension IPAddress: CustomStringConvertible {
    /// RFC 5952: `192.0.2.1`, `2001:db8::1`.
    package var description: String {
        let (family, start) = isVersion4 ? (AF_INET, 12) : (AF_INET6, 0)
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            String(unsafeUninitializedCapacity: 46) { text in
                text.withMemoryRebound(to: CChar.self) { text in
                    // Cannot fail: 46 bytes hold every address.
                    inet_ntop(family, bytes.baseAddress.map { $0 + start }, text.baseAddress, 46).map { strlen($0) }
                        ?? 0
                }
            }
        }
    }
}

/// A CIDR block (RFC 4632 §3.1, RFC 4291 §2.3) or single address. `::/0` excludes IPv4.
package struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    /// 0 to 128, in IPv6 form.
    private let length: Int

    /// Parses `address` or `address/length`. Rejects bits after the prefix as mistakes.
    package init?(_ text: String) {
        let parts = text.split(ascii: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = IPAddress(String(parts[0])) else { return nil }
        let width = first.isVersion4 ? 32 : 128
        guard let length = parts.count == 1 ? width : Self.number(parts[1]), length <= width else { return nil }
        (self.first, self.length) = (first, length + 128 - width)
        guard contains(first) else { return nil }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// IPv6 blocks shorter than 96 bits contain no IPv4.
    package func contains(_ address: IPAddress) -> Bool {
        (length >= 96 || !address.isVersion4)
            && address.high & UInt64.max << UInt64(max(0, 64 - length)) == first.high
            && address.low & UInt64.max << UInt64(max(0, min(64, 128 - length))) == first.low
    }
}
