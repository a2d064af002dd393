import CEmbedded
import Foundation
import GatehouseWire
import MailTemplates

/// The apps' texts, the pages' (`Pages.xcstrings`), and an operator's.
struct PageTexts: Sendable {
    private let catalogue: TextCatalogue

    /// - Parameter overrides: By language and English text.
    /// - Throws: ``JSONProblem`` for a damaged `texts.json`.
    init(overrides: [MailLanguage: [ExternalName: String]] = [:]) throws {
        var catalogue = try Self.own.get()
        for (language, own) in overrides { catalogue.texts[language, default: [:]].merge(own) { $1 } }
        self.catalogue = catalogue
    }

    /// Read once for all pages.
    private static let own = Result<TextCatalogue, any Error> {
        try TextCatalogue(LargeFile.bytes(gatehouse_page_texts()))
    }

    /// Texts that an operator may replace.
    ///
    /// - Throws: As ``init(overrides:)``.
    static func known() throws -> Set<ExternalName> { Set<ExternalName>(try own.get().texts.values.flatMap(\.keys)) }

    /// - Parameter arguments: Replace `%@` in order, isolated from the sentence's direction.
    func text(_ english: StaticString, _ arguments: [String], in language: MailLanguage) -> String {
        let key = "\(english)"
        let text = catalogue.text(key, in: language) ?? key
        guard !arguments.isEmpty else { return text }
        let pieces = text.components(separatedBy: "%@")
        let shown = arguments.map { argument in
            // ASCII between left-to-right texts needs no marks, which scripts and screen readers would see in names.
            language.isRightToLeft || argument.utf8.contains { $0 >= 0x80 } ? argument.isolated : argument.shown
        }
        return zip(pieces, shown + [""]).map { $0 + $1 }.joined()
    }
}

extension MailLanguage {
    /// In the language itself.
    var ownName: String {
        switch self {
        case .english: "English"
        case .spanish: "Español"
        case .german: "Deutsch"
        case .japanese: "日本語"
        case .arabic: "العربية"
        case .french: "Français"
        case .italian: "Italiano"
        case .portuguese: "Português (Brasil)"
        case .chinese: "简体中文"
        case .korean: "한국어"
        }
    }

    /// Such as 15 minutes or 2 hours, 5 minutes; rounded up to minutes.
    func span(_ duration: Duration) -> String {
        let minutes = (duration.components.seconds + 59) / 60
        return Duration.seconds(minutes * 60).formatted(
            .units(allowed: [.hours, .minutes], width: .wide).locale(Locale(identifier: rawValue)))
    }

    /// Such as 23 November 2026, in UTC.
    func day(_ date: Date) -> String {
        var style = Date.FormatStyle(
            date: .long, time: .omitted, locale: Locale(identifier: rawValue),
            calendar: Calendar(identifier: .gregorian))
        style.timeZone = .gmt
        return date.formatted(style)
    }
}
