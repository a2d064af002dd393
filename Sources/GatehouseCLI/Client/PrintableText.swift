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
