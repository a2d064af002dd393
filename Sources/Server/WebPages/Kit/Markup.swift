import GatehouseWire
import MailTemplates

/// Templates use three braces.
///
/// Works on bytes: swift-mustache escapes characters, and misses a quote before a combining mark.
struct Markup: Sendable, CustomStringConvertible {
    let description: String

    init(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
            default: bytes.append(byte)
            }
        }
        description = String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// Untrusted text in one line of at most 200 code points, without marks that change other text's direction or
    /// place.
    var shown: String { shown(atMost: 200) }

    func shown(atMost longest: Int) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(longest) where !scalar.isDeceptive { kept.append(scalar) }
        return String(kept)
    }

    /// ASCII between left-to-right texts needs no marks, which scripts and screen readers would see in names.
    func shown(in language: MailLanguage) -> String {
        language.isRightToLeft || utf8.contains { $0 >= 0x80 } ? isolated : shown
    }

    /// For the console, which is in English.
    var shownInEnglish: String { shown(in: .english) }

    /// In marks that isolate its direction (UAX 9, FSI and PDI).
    var isolated: String { "\u{2068}\(shown)\u{2069}" }
}

/// For swift-mustache.
typealias TemplateValues = [String: Any]
