/// A region's country calling code, such as +49 for Germany.
///
/// `CallingCode.number(typed: "(0170) 123 45 67", region: "DE")` returns `+491701234567`.
public struct CallingCode: Hashable, Sendable, Identifiable {
    /// In ISO 3166-1 alpha-2, such as `DE`.
    public let region: String
    /// Digits without `+`.
    public let code: String
    /// Precedes a national number, and is omitted after the calling code.
    let trunk: Trunk?

    /// The region.
    public var id: String { region }

    struct Trunk: Hashable, Sendable {
        let prefix: String
        /// The length with prefix, where other numbers can begin with its digits.
        var length: Int?
    }

    /// Every region by code; of those that share one, the main region first.
    public static let all: [CallingCode] = {
        let zeros = zeroRegions.split(ascii: " ").map(String.init)
        return table.split(ascii: ",").flatMap { row -> [CallingCode] in
            let words = row.split(ascii: " ").map(String.init)
            return words.dropFirst().map { region in
                CallingCode(region: region, code: words[0], trunk: trunk(region, words[0], zeros))
            }
        }
    }()

    private static func trunk(_ region: String, _ code: String, _ zeros: [String]) -> Trunk? {
        switch region {
        case "RU", "KZ": Trunk(prefix: "8", length: 11)
        case "BY": Trunk(prefix: "80", length: 11)
        case "TM": Trunk(prefix: "8")
        case "HU": Trunk(prefix: "06")
        default:
            // In the United States and the regions that share their code, no number begins with 1.
            code == "1" ? Trunk(prefix: "1") : zeros.contains { $0 == region } ? Trunk(prefix: "0") : nil
        }
    }

    /// A region's code; nil for an unknown region.
    public static func of(region: String) -> CallingCode? { all.first { $0.region == region } }

    /// The codes with which a number in E.164 format begins, the main region's first; none for an unknown one.
    ///
    /// - Parameter number: With or without `+`.
    public static func beginning(_ number: String) -> [CallingCode] {
        let digits = number.hasPrefix("+") ? String(number.dropFirst()) : number
        // No code is another one's beginning.
        return all.filter { digits.hasPrefix($0.code) }
    }
}

extension CallingCode {
    /// The digits of a number (E.164 §6.2); shorter ones are not dialled internationally.
    private static let lengths = 7...15

    /// Reads a number as people type it: with spaces, brackets, hyphens or dots, in digits of any script.
    ///
    /// - Parameter region: Where a number without `+` or 00 belongs. Its national prefix, such as 0, is removed.
    /// - Returns: `+` and 7 to 15 digits; nil for any other text, and without a known region for a national number.
    public static func number(typed text: String, region: String?) -> String? {
        guard text.utf8.count <= 128, let plain = plain(text) else { return nil }
        let digits: String
        if plain.hasPrefix("+") || plain.hasPrefix("00") {
            digits = international(String(plain.dropFirst(plain.hasPrefix("+") ? 1 : 2)))
        } else {
            guard let known = region.flatMap(of(region:)) else { return nil }
            digits = known.code + known.withoutTrunk(plain)
        }
        guard lengths.contains(digits.utf8.count), !digits.hasPrefix("0"),
            digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return "+" + digits
    }

    /// As in +44 (0)20 7946 0000.
    private static func international(_ digits: String) -> String {
        guard let known = beginning(digits).first, known.trunk?.prefix == "0" else { return digits }
        return known.code + known.withoutTrunk(String(digits.dropFirst(known.code.utf8.count)))
    }

    private func withoutTrunk(_ national: String) -> String {
        guard let trunk, national.hasPrefix(trunk.prefix), trunk.length ?? national.utf8.count == national.utf8.count
        else { return national }
        return String(national.dropFirst(trunk.prefix.utf8.count))
    }

    /// `+` and ASCII digits; nil with a character that numbers do not have.
    private static func plain(_ text: String) -> String? {
        var kept = ""
        for scalar in text.withASCIIDigits.unicodeScalars {
            switch scalar {
            case "0"..."9": kept.unicodeScalars.append(scalar)
            case "+", "\u{FF0B}":
                guard kept.isEmpty else { return nil }
                kept = "+"
            case "-", ".", "/", "(", ")", "\u{2010}"..."\u{2015}", "\u{2212}", "\u{30FB}", "\u{FF08}", "\u{FF09}",
                "\u{FF0D}", "\u{FF0E}":
                break
            // Marks of direction, which address books add.
            case _ where scalar.properties.isWhitespace || scalar.properties.generalCategory == .format: break
            default: return nil
            }
        }
        return kept
    }

    /// A number in blocks for display, such as `+49 170 123 4567`. The blocks are not the region's.
    ///
    /// - Parameter number: In E.164 format, with or without `+`. Other text is returned unchanged.
    public static func formatted(_ number: String) -> String {
        let digits = number.hasPrefix("+") ? String(number.dropFirst()) : number
        guard !digits.isEmpty, digits.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return number
        }
        let code = beginning(digits).first?.code ?? ""
        var (blocks, rest) = (["+" + code], digits.dropFirst(code.utf8.count))
        while !rest.isEmpty {
            let block = rest.prefix(rest.utf8.count == 4 ? 4 : 3)
            blocks.append(String(block))
            rest = rest.dropFirst(block.utf8.count)
        }
        return code.isEmpty ? "+" + blocks.dropFirst().joined(separator: " ") : blocks.joined(separator: " ")
    }
}
