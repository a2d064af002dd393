/// RFC 9562 §4.
package enum UUIDText {
    /// A hyphenated UUID in lower case; nil for other text.
    package static func canonical(_ text: String) -> String? {
        var text = text
        // Hot path.
        let isLower: Bool? = text.withUTF8 { bytes in
            guard bytes.count == 36 else { return nil }
            var isLower = true
            for position in 0..<36 {
                let isHyphenPlace = position == 8 || position == 13 || position == 18 || position == 23
                switch bytes[position] {
                case UInt8(ascii: "-"): guard isHyphenPlace else { return nil }
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                    guard !isHyphenPlace else { return nil }
                case UInt8(ascii: "A")...UInt8(ascii: "F"):
                    guard !isHyphenPlace else { return nil }
                    isLower = false
                default: return nil
                }
            }
            return isLower
        }
        return isLower.map { $0 ? text : text.lowercased() }
    }
}
