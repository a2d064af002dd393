extension Unicode.Scalar {
    /// Whether a terminal could show other text: control characters, direction marks (Unicode Standard Annex 9 §2),
    /// separators of lines and paragraphs.
    package var isDeceptive: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension String {
    /// The first code points of untrusted text, without deceptive ones; nil if nothing is visible.
    package func shown(upTo length: Int) -> String? {
        let kept = unicodeScalars.lazy.filter { !$0.isDeceptive }.prefix(length)
        let isBlank = kept.allSatisfy(\.properties.isWhitespace)
        return isBlank ? nil : String(String.UnicodeScalarView(kept))
    }
}
