extension String {
    /// Converts every script's decimal digits to ASCII.
    package var withASCIIDigits: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var folded = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue else {
                folded.append(scalar)
                continue
            }
            folded.append(Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit)))
        }
        return String(folded)
    }
}
