/// The raw values are BCP 47 tags.
package enum MailLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case spanish = "es"
    case german = "de"
    case japanese = "ja"
    case arabic = "ar"
    case french = "fr"
    case italian = "it"
    case portuguese = "pt-BR"
    case chinese = "zh-Hans"
    case korean = "ko"
}

extension MailLanguage {
    package var isRightToLeft: Bool { self == .arabic }

    /// For a language tag or `Accept-Language`; English if none matches.
    package static func preferred(_ text: String?) -> MailLanguage { matching(text) ?? .english }

    /// The best language for a tag (RFC 5646, or `ar_EG`) or `Accept-Language` (RFC 9110 §12.5.4), by first subtags;
    /// those of traditional Chinese match nothing.
    ///
    /// - Returns: nil if none matches, and for `*`. Reads at most 1,024 bytes and 32 tags.
    package static func matching(_ text: String?) -> MailLanguage? {
        guard let text else { return nil }
        let ranges = text.utf8.prefix(1_024).split(separator: UInt8(ascii: ","), maxSplits: 32).prefix(32)
        var best: (language: MailLanguage, weight: Int)?
        for range in ranges {
            let parts = range.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            guard let tag = parts.first, let language = language(of: tag) else { continue }
            let weight = parts.dropFirst().lazy.compactMap(weight).first ?? 1_000
            // Of equal weights the first: browsers list by preference.
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language
    }

    private static func language(of tag: Substring.UTF8View) -> MailLanguage? {
        // The longest meaningful tag is `zh-Hant-HK`.
        let text = String(decoding: tag.prefix(40), as: UTF8.self).lowercased()
        let subtags = text.split { $0 == " " || $0 == "\t" || $0 == "-" || $0 == "_" }
        switch subtags.first {
        case "pt": return .portuguese
        case "zh": return subtags.contains { traditional.contains($0) } ? nil : .chinese
        case let first?: return MailLanguage(rawValue: String(first))
        case nil: return nil
        }
    }

    private static let traditional: [Substring] = ["hant", "tw", "hk", "mo"]

    /// Thousandths of `q=0.8`; nil for another parameter, 0 if malformed.
    private static func weight(_ parameter: Substring.UTF8View) -> Int? {
        let text = String(decoding: parameter, as: UTF8.self).filter { $0 != " " && $0 != "\t" }.lowercased()
        guard text.hasPrefix("q=") else { return nil }
        guard text.utf8.count <= 7, let weight = Double(text.dropFirst(2)), (0...1).contains(weight) else { return 0 }
        return Int(weight * 1_000)
    }
}
