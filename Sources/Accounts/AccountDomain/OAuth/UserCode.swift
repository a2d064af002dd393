package import GatehouseWire

/// The code that a device shows (RFC 8628 §6.1): eight consonants, which form no words, 2.5 × 10¹⁰ of them.
package enum UserCode {
    package static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    package static let length = 8

    /// - Parameter random: Random bytes, of which those over 239 are skipped so that every letter is as likely.
    /// - Returns: nil with too few usable bytes; ask for more.
    package static func make(_ random: [UInt8]) -> String? {
        let usable = random.filter { $0 < 240 }.prefix(length)
        guard usable.count == length else { return nil }
        return String(decoding: usable.map { letters[Int($0) % letters.count] }, as: UTF8.self)
    }

    /// As typed: any case, with spaces and hyphens. nil if it cannot be a code.
    package static func read(_ text: String) -> String? {
        guard text.utf8.count <= 32 else { return nil }
        let typed = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
            .map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
        guard typed.count == length, typed.allSatisfy(letters.contains) else { return nil }
        return String(decoding: typed, as: UTF8.self)
    }

    /// `BCDF-GHJK`.
    package static func shown(_ code: String) -> String {
        "\(Substring(code.utf8.prefix(length / 2)))-\(Substring(code.utf8.dropFirst(length / 2)))"
    }
}
