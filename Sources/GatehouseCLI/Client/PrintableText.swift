import GatehouseWire

extension String {
    /// The text with each ``Unicode/Scalar/isDeceptive`` character replaced by `?`, for terminals.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isDeceptive ? "?" : $0 }))
    }

    /// The text with these characters escaped as `\u202e`, for files and JSON.
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
    /// Whether this is a control character (C0, DEL, C1), which could move the cursor, a bidirectional control (Unicode
    /// Standard Annex 9 §2), or a line or paragraph separator.
    var isDeceptive: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
