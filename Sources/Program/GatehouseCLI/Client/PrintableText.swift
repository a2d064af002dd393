import GatehouseWire

extension String {
    /// Replaces each ``Unicode/Scalar/isDeceptive`` character by `?`, for terminals.
    package var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isDeceptive ? "?" : $0 }))
    }

    /// Escapes these characters as `\u202e`, for files and JSON.
    package var escaped: String {
        guard unicodeScalars.contains(where: \.isDeceptive) else { return self }
        return unicodeScalars.map { scalar in
            guard scalar.isDeceptive else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
