import GatehouseWire

/// External text that is shown to users or logged.
enum DisplayText {
    /// Removes control characters, line breaks and bidirectional controls, and trims the text. Keeps at most `limit`
    /// code points without splitting a character.
    static func cut(_ text: String, to limit: Int) -> String {
        // Far beyond any limit. The rest is ignored.
        let cleaned = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4_096).filter(isHarmless)))
        var (result, count) = ("", 0)
        for character in cleaned.drop(while: \.isWhitespace) {
            count += character.unicodeScalars.count
            guard count <= limit else { break }
            result.append(character)
        }
        while result.last?.isWhitespace == true { result.removeLast() }
        return result
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: false
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}
