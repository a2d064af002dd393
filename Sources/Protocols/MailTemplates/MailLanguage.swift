/// The languages of the built-in mails. The raw values are BCP 47 tags.
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

    /// The best language for a language tag or a value of `Accept-Language`; English if none matches.
    package static func preferred(_ text: String?) -> MailLanguage { matching(text) ?? .english }

    /// The best language for a language tag (RFC 5646; `ar_EG` counts as well) or a value of `Accept-Language` (RFC
    /// 9110 §12.5.4). A tag matches by its first subtag; those of traditional Chinese match nothing.
    ///
    /// - Returns: nil if none matches. `*` matches nothing, because it prefers nothing. Of more than 1,024 bytes or 32
    ///   tags the rest is not read.
    package static func matching(_ text: String?) -> MailLanguage? {
        guard let text else { return nil }
        let ranges = text.utf8.prefix(1_024).split(separator: UInt8(ascii: ","), maxSplits: 32).prefix(32)
        var best: (language: MailLanguage, weight: Int)?
        for range in ranges {
            let parts = range.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            guard let tag = parts.first, let language = language(of: tag) else { continue }
            let weight = parts.dropFirst().lazy.compactMap(weight).first ?? 1_000
            // The first of equals: browsers list by preference.
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language
    }

    private static func language(of tag: Substring.UTF8View) -> MailLanguage? {
        // The longest tag that says something here is `zh-Hant-HK`.
        let text = String(decoding: tag.prefix(40), as: UTF8.self).lowercased()
        let subtags = text.split { $0 == " " || $0 == "\t" || $0 == "-" || $0 == "_" }
        switch subtags.first {
        case "pt": return .portuguese
        case "zh": return subtags.contains { traditional.contains($0) } ? nil : .chinese
        case let first?: return MailLanguage(rawValue: String(first))
        case nil: return nil
        }
    }

    /// The script of traditional Chinese, and the regions that use it.
    private static let traditional: [Substring] = ["hant", "tw", "hk", "mo"]

    /// Thousandths of `q=0.8`; nil for another parameter. A malformed weight counts as 0.
    private static func weight(_ parameter: Substring.UTF8View) -> Int? {
        let text = String(decoding: parameter, as: UTF8.self).filter { $0 != " " && $0 != "\t" }.lowercased()
        guard text.hasPrefix("q=") else { return nil }
        guard text.utf8.count <= 7, let weight = Double(text.dropFirst(2)), (0...1).contains(weight) else { return 0 }
        return Int(weight * 1_000)
    }
}
