import Foundation

/// RFC 8265 §4.2, for passwords: keyboards write the same characters in different forms.
package enum OpaqueString {
    /// In bytes: 256 characters of any script.
    package static let longest = 1_024

    /// Normalizes spaces to U+0020, and text to NFC. Keeps texts over ``longest``, because normalization can take
    /// quadratic time.
    package static func prepare(_ text: String) -> String {
        guard text.utf8.count <= longest, !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var spaced = String.UnicodeScalarView()
        spaced.append(
            contentsOf: text.unicodeScalars.map { $0.properties.generalCategory == .spaceSeparator ? " " : $0 })
        return String(spaced).precomposedStringWithCanonicalMapping
    }
}
