import GatehouseWire

/// What is compared of a password and of a word that it may not consist of (ASVS 5.0 V6.2.11).
enum ForbiddenWord {
    /// Shorter ones say nothing: `a@example.com` forbids no letter.
    static let shortest = 3

    /// Letters and digits in lower case, without the digits at either end: `ada.lovelace` and `Ada-Lovelace1815!` are
    /// the same.
    static func core(of text: String) -> [Unicode.Scalar] {
        let lower = text.lowercased().unicodeScalars
        let kept = lower.filter { $0.properties.isAlphabetic || isDigit($0) }.drop(while: isDigit)
        guard let end = kept.lastIndex(where: { !isDigit($0) }) else { return [] }
        return Array(kept[...end])
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }
}
