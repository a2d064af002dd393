package import Foundation
import Synchronization

package struct StringCatalog: Sendable {
    package let sourceLanguage: String
    private let strings: [String: [String: Localization]]

    package init(_ data: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: data)
        sourceLanguage = file.sourceLanguage
        strings = file.strings.mapValues { $0.localizations ?? [:] }
    }

    package var keys: [String] { strings.keys.sorted() }
    package func has(_ key: String) -> Bool { strings[key] != nil }

    /// - Parameter count: Selects the plural form.
    /// - Returns: nil for a key without a text in the locale's or the source language.
    package func text(for key: String, count: Int? = nil, in locale: Locale) -> String? {
        guard let texts = strings[key] else { return nil }
        for name in Self.names(of: locale) + [sourceLanguage] {
            if let text = texts[name]?.text(count: count, language: name) { return text }
        }
        return nil
    }

    /// By the locale's identifier: the parts of a language are slow to find.
    private static let known = Mutex<[String: [String]]>([:])

    /// The language's possible names in a catalogue, the most specific first.
    private static func names(of locale: Locale) -> [String] {
        known.withLock { known in
            if let names = known[locale.identifier] { return names }
            let (code, script) = (locale.language.languageCode?.identifier, locale.language.script?.identifier)
            let names =
                [
                    locale.identifier.replacing("_", with: "-"),
                    [code, script].compactMap(\.self).joined(separator: "-"),
                ] + (code.map { [$0] } ?? [])
            known[locale.identifier] = names
            return names
        }
    }

    private struct File: Decodable {
        let sourceLanguage: String
        let strings: [String: Entry]
    }

    private struct Entry: Decodable {
        let localizations: [String: Localization]?
    }

    private struct Localization: Decodable {
        let stringUnit: Unit?
        let variations: Variations?

        func text(count: Int?, language: String) -> String? {
            if let plural = variations?.plural {
                let form = PluralForm(count: count ?? 0, language: language)
                return (plural[form.rawValue] ?? plural["other"])?.stringUnit.value
            }
            return stringUnit?.value
        }
    }

    private struct Unit: Decodable {
        let value: String
    }

    private struct Variations: Decodable {
        let plural: [String: Form]?
    }

    private struct Form: Decodable {
        let stringUnit: Unit
    }
}

/// Unicode's plural rules for integers.
enum PluralForm: String {
    case zero, one, two, few, many, other

    init(count: Int, language: String) {
        let hundredth = abs(count) % 100
        switch language.prefix(2) {
        case "ar":
            self =
                switch count {
                case 0: .zero
                case 1: .one
                case 2: .two
                default: (3...10).contains(hundredth) ? .few : (11...99).contains(hundredth) ? .many : .other
                }
        case "ja", "zh", "ko": self = .other
        default: self = count == 1 ? .one : .other
        }
    }
}
