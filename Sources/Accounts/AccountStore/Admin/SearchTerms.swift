import Foundation
import GatehouseWire

/// The texts by which searches find an account, at most ``most``.
///
/// A name's words, and pairs of its first four in both orders, with a space before each pair; the parts of an address
/// that follow a separator; and a number's digits from the last to the first, after `+`. All are without case, accents
/// and compatibility forms.
struct SearchTerms {
    private(set) var all: [String] = []
    private var known: Set<ExternalName> = []

    static let most = 64
    private static let longestWord = 40
    private static let longestPart = 80
    /// Of one account.
    private static let mostWords = 12
    private static let mostPaired = 4
    private static let mostParts = 8

    /// - Parameter names: The most important first.
    mutating func add(names: [String]) {
        var words: [String] = []
        var seen: Set<ExternalName> = []
        for word in names.lazy.prefix(24).flatMap(Self.words) where words.count < Self.mostWords {
            if seen.insert(ExternalName(trusted: word)).inserted { words.append(word) }
        }
        for word in words { add(word) }
        let paired = words.prefix(Self.mostPaired)
        for first in paired {
            for second in paired where first != second { add(Self.pair(first, second)) }
        }
    }

    /// - Parameter isWhole: Whether no other index finds the address by its beginning.
    mutating func add(address: String, isWhole: Bool) {
        let address = Self.folded(address.cut(to: 320))
        let bytes = Array(address.utf8)
        var starts = bytes.indices.dropFirst().filter {
            Self.isSeparator(bytes[$0 - 1]) && !Self.isSeparator(bytes[$0])
        }
        if isWhole { starts.insert(0, at: 0) }
        // The last label, such as `com`, distinguishes nothing.
        let end = (bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex)
        for start in starts.filter({ $0 < end }).prefix(Self.mostParts) {
            add(String(decoding: bytes[start...], as: UTF8.self).cut(to: Self.longestPart))
        }
    }

    mutating func add(phone: String) { add(Self.ending(phone)) }

    private mutating func add(_ term: String) {
        guard all.count < Self.most, known.insert(ExternalName(trusted: term)).inserted else { return }
        all.append(term)
    }

    static func pair(_ first: String, _ second: String) -> String { " \(first) \(second)" }

    /// - Parameter digits: The last ones of a number.
    static func ending(_ digits: String) -> String { "+" + String(decoding: digits.utf8.reversed(), as: UTF8.self) }

    private static func isSeparator(_ byte: UInt8) -> Bool { "._-+@".utf8.contains(byte) }

    /// As one address has them after a separator; nil for a text that may be a name.
    static func part(_ text: String) -> String? {
        let bytes = text.utf8
        guard bytes.contains(where: { "._+@".utf8.contains($0) }), bytes.allSatisfy({ $0 > 0x20 }) else { return nil }
        let part = folded(String(decoding: bytes.drop(while: isSeparator), as: UTF8.self)).cut(to: longestPart)
        return part.isEmpty ? nil : part
    }

    static func words(_ text: String) -> [String] {
        folded(text.cut(to: 256)).unicodeScalars.split(whereSeparator: isBetweenWords).map {
            String($0).cut(to: longestWord)
        }
    }

    private static func isBetweenWords(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .connectorPunctuation, .dashPunctuation,
            .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol,
            .currencySymbol, .modifierSymbol:
            true
        default: false
        }
    }

    /// Without case, accents, apostrophes and compatibility forms.
    ///
    /// - Parameter text: At most a few hundred code points: the decomposition is quadratic.
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "'") }) { return text.withLowerASCII }
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if (0x300...0x36F).contains(scalar.value) || [0x27, 0x2BC, 0x2019].contains(scalar.value) { continue }
            let lower = scalar.properties.lowercaseMapping
            let plain = lower.unicodeScalars.first.flatMap { letters[$0.value] } ?? lower
            result.append(contentsOf: plain.unicodeScalars.filter { !(0x300...0x36F).contains($0.value) })
        }
        return String(result)
    }

    /// Letters without a decomposition.
    private static let letters: [UInt32: String] = [
        0xDF: "ss", 0xE6: "ae", 0xF0: "d", 0xF8: "o", 0xFE: "th", 0x111: "d", 0x127: "h", 0x131: "i", 0x142: "l",
        0x153: "oe", 0x167: "t", 0x3C2: "\u{3C3}",
    ]
}
