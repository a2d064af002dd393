import GatehouseWire

extension IPAddress: CustomStringConvertible {
    /// The canonical form of RFC 5952: `192.0.2.1`, `2001:db8::1`.
    package var description: String {
        if isVersion4 { return (0..<4).map { String(low >> (24 - 8 * $0) & 0xFF) }.joined(separator: ".") }
        let groups = [high, low].flatMap { half in (0..<4).map { half >> (48 - 16 * UInt64($0)) & 0xFFFF } }
        let zeros = Self.longestZeros(groups)
        func text(_ part: ArraySlice<UInt64>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard let zeros else { return text(groups[...]) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// The first of the longest runs of at least two zeros (RFC 5952 §4.2).
    private static func longestZeros(_ groups: [UInt64]) -> Range<Int>? {
        var longest = 0..<1
        var start = 0
        for (place, group) in groups.enumerated() {
            if group != 0 { start = place + 1 }
            if place + 1 - start > longest.count { longest = start..<(place + 1) }
        }
        return longest.count > 1 ? longest : nil
    }
}
