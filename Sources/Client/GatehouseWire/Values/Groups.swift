extension String {
    /// Groups of four, for people to read and type.
    package func inGroups(separator: String = " ") -> String {
        let symbols = Array(unicodeScalars)
        return stride(from: 0, to: symbols.count, by: 4).map { start in
            String(String.UnicodeScalarView(symbols[start..<min(start + 4, symbols.count)]))
        }.joined(separator: separator)
    }
}
