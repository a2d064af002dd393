import CEmbedded
import Foundation
import GatehouseWire
import MailTemplates

/// The texts of the pages by language: those of the app's screens, those of the pages alone (`Pages.xcstrings`), and an
/// operator's.
struct PageTexts: Sendable {
    private let catalogue: TextCatalogue

    /// - Parameter overrides: An operator's texts, by language and English text.
    /// - Throws: ``JSONProblem`` for a damaged `texts.json`.
    init(overrides: [MailLanguage: [ExternalName: String]] = [:]) throws {
        var catalogue = try Self.own.get()
        for (language, own) in overrides { catalogue.texts[language, default: [:]].merge(own) { $1 } }
        self.catalogue = catalogue
    }

    /// Read once for all pages of the program.
    private static let own = Result<TextCatalogue, any Error> {
        try TextCatalogue(LargeFile.bytes(gatehouse_page_texts()))
    }

    /// The English texts that an operator may replace.
    ///
    /// - Throws: As ``init(overrides:)``.
    static func known() throws -> Set<ExternalName> { Set<ExternalName>(try own.get().texts.values.flatMap(\.keys)) }

    /// - Parameter arguments: Replace `%@` in order. Texts of users are isolated from the direction of the sentence.
    func text(_ english: StaticString, _ arguments: [String], in language: MailLanguage) -> String {
        let key = "\(english)"
        let text = catalogue.text(key, in: language) ?? key
        guard !arguments.isEmpty else { return text }
        let pieces = text.components(separatedBy: "%@")
        let shown = arguments.map { argument in
            // ASCII between left-to-right texts needs no marks, which would be part of the names that scripts and screen
            // readers see.
            language.isRightToLeft || argument.utf8.contains { $0 >= 0x80 } ? argument.isolated : argument.shown
        }
        return zip(pieces, shown + [""]).map { $0 + $1 }.joined()
    }
}

extension MailLanguage {
    /// The name in the language itself.
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

    /// A time such as 15 minutes or 2 hours, 5 minutes, rounded up to whole minutes.
    func span(_ duration: Duration) -> String {
        let minutes = (duration.components.seconds + 59) / 60
        return Duration.seconds(minutes * 60).formatted(
            .units(allowed: [.hours, .minutes], width: .wide).locale(Locale(identifier: rawValue)))
    }

    /// A date such as 23 November 2026, in UTC.
    func day(_ date: Date) -> String {
        var style = Date.FormatStyle(
            date: .long, time: .omitted, locale: Locale(identifier: rawValue),
            calendar: Calendar(identifier: .gregorian))
        style.timeZone = .gmt
        return date.formatted(style)
    }
}
