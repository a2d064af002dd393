import GatehouseWire

extension String {
    /// What may be shown to a person at a terminal: each ``Unicode/Scalar/isDeceptive`` character becomes `?`.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isDeceptive ? "?" : $0 }))
    }

    /// The same with `\u202e` and the like, for files and for JSON, where it says the same.
    package var escaped: String {
        guard unicodeScalars.contains(where: \.isDeceptive) else { return self }
        return unicodeScalars.map { scalar in
            guard scalar.isDeceptive else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension Unicode.Scalar {
    /// Control characters (C0, DEL, C1), which could move the cursor, the marks that turn the direction of text around
    /// (Unicode Standard Annex 9 §2), and the line and paragraph separators.
    var isDeceptive: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
