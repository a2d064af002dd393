import Foundation

/// The OpaqueString profile of RFC 8265 §4.2, for passwords: keyboards and systems write the same characters in different
/// forms.
package enum OpaqueString {
    /// The longest text that is prepared, in bytes of UTF-8: 256 characters of any script.
    package static let longest = 1_024

    /// Writes every space as U+0020 and the text in NFC.
    ///
    /// - Returns: ASCII and texts over ``longest`` bytes as they are. Normalization takes quadratic time for some text.
    package static func prepare(_ text: String) -> String {
        guard text.utf8.count <= longest, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var spaced = String.UnicodeScalarView()
        spaced.append(
            contentsOf: text.unicodeScalars.map { $0.properties.generalCategory == .spaceSeparator ? " " : $0 })
        return String(spaced).precomposedStringWithCanonicalMapping
    }
}
