extension Unicode.Scalar {
    /// Whether a terminal may show something else than the text: control characters (C0, DEL, C1), which can move the
    /// cursor, marks that turn the direction of text around (Unicode Standard Annex 9 §2), and the line and paragraph
    /// separators.
    package var isDeceptive: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
