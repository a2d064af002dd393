extension IPAddress: CustomStringConvertible {
    /// An IPv4 address with dots, an IPv6 address as RFC 5952 §4 writes it.
    package var description: String {
        guard !isVersion4 else {
            let bytes: [UInt64] = [low >> 24, low >> 16, low >> 8, low]
            return bytes.map { String($0 & 0xFF) }.joined(separator: ".")
        }
        let halves: [UInt64] = [high, low]
        let groups: [UInt16] = halves.flatMap { half -> [UInt16] in
            [half >> 48, half >> 32, half >> 16, half].map { UInt16(truncatingIfNeeded: $0) }
        }
        let texts = groups.map { String($0, radix: 16) }
        let zeros = Self.longestZeros(groups)
        guard zeros.count > 1 else { return texts.joined(separator: ":") }
        let (before, after) = (texts[..<zeros.lowerBound], texts[zeros.upperBound...])
        return before.joined(separator: ":") + "::" + after.joined(separator: ":")
    }

    /// The first of several.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for (place, group) in groups.enumerated() {
            if group != 0 { start = place + 1 }
            if place + 1 - start > longest.count { longest = start..<(place + 1) }
        }
        return longest
    }
}
