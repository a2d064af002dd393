import GatehouseWire

extension String {
    /// What may be shown to a person at a terminal: control characters, which could move the cursor, become `?`.
    package var printable: String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value }
        return String(String.UnicodeScalarView(unicodeScalars.map { isControl($0) ? "?" : $0 }))
    }
}
