import GatehouseWire

/// Text from elsewhere that people will see, or that goes into the log.
enum DisplayText {
    /// Without control characters, line breaks, and marks that turn the direction of writing; blanks around it are
    /// dropped. At most `limit` code points, and no character is cut in two.
    static func cut(_ text: String, to limit: Int) -> String {
        // Far more than any limit here: what lies behind is not looked at.
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
