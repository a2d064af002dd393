import GatehouseWire

/// The parts in which networks send a text, and bill it (3GPP TS 23.038 and 23.040).
package struct TextSegments: Equatable, Sendable {
    package enum Alphabet: Sendable {
        /// 160 characters, or 153 in each of several parts; some characters take the room of two.
        case gsm7
        /// 70 UTF-16 units, or 67 in each of several parts.
        case ucs2
    }

    package let alphabet: Alphabet
    package let count: Int

    package init(of text: String) {
        let septets = text.unicodeScalars.map { Self.basic.contains($0) ? 1 : Self.extended.contains($0) ? 2 : 0 }
        alphabet = septets.contains(0) ? .ucs2 : .gsm7
        let sizes = alphabet == .gsm7 ? septets : text.unicodeScalars.map { UTF16.width($0) }
        let (single, joined) = alphabet == .gsm7 ? (160, 153) : (70, 67)
        count = sizes.reduce(0, +) <= single ? 1 : Self.parts(sizes, of: joined)
    }

    /// A part ends before a character that does not fit.
    private static func parts(_ sizes: [Int], of room: Int) -> Int {
        var (parts, used) = (1, 0)
        for size in sizes {
            if used + size > room { (parts, used) = (parts + 1, 0) }
            used += size
        }
        return parts
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
            + "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}
