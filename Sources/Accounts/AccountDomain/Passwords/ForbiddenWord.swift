import GatehouseWire

/// ASVS 5.0 V6.2.11.
enum ForbiddenWord {
    /// Shorter words are ignored: `a@example.com` does not forbid a letter.
    static let shortest = 3

    /// Lower-case letters and digits, without digits at either end: equal for `ada.lovelace` and `Ada-Lovelace1815!`.
    static func core(of text: String) -> [Unicode.Scalar] {
        let lower = text.lowercased().unicodeScalars
        let kept = lower.filter { $0.properties.isAlphabetic || isDigit($0) }.drop(while: isDigit)
        guard let end = kept.lastIndex(where: { !isDigit($0) }) else { return [] }
        return Array(kept[...end])
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }
}
