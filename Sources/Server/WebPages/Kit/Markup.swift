import GatehouseWire

/// Text of a page, escaped for HTML and quoted attributes. Templates show it with three braces.
///
/// Escaping works on bytes. swift-mustache's own works on characters, and leaves a quote alone that a combining mark
/// follows.
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
    /// The text of a user or of another server, for a sentence or a row of a page: one line of at most 200 code points,
    /// without marks that change the direction or the place of other text.
    var shown: String { shown(atMost: 200) }

    /// The same with another number of code points.
    func shown(atMost longest: Int) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(longest) where !scalar.isDeceptive { kept.append(scalar) }
        return String(kept)
    }

    /// The same between marks that keep its direction from the sentence around it (UAX 9, FSI and PDI).
    var isolated: String { "\u{2068}\(shown)\u{2069}" }
}

/// What swift-mustache takes. The names are our own.
typealias TemplateValues = [String: Any]
