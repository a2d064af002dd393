// This target's only platform switch: Linux lacks compiled string catalogues.

private let appTable = "Gatehouse"

#if canImport(Darwin)
public import Foundation

extension ModelText {
    /// The app's catalogue takes precedence.
    package static func place(of key: String) -> (bundle: Bundle, table: String) {
        let missing = "\u{0}"
        let isOwn = Bundle.main.localizedString(forKey: key, value: missing, table: appTable) != missing
        return isOwn ? (.main, appTable) : (.module, "Localizable")
    }

    var lookedUp: String { String(localized: LocalizedStringResource(self)) }
}

extension LocalizedStringResource {
    /// Creates a model's text, looked up like ``ModelText/localized`` in the resource's `locale`.
    public init(_ text: ModelText) {
        var format = String.LocalizationValue.StringInterpolation(
            literalCapacity: text.key.utf8.count, interpolationCount: text.arguments.count)
        for piece in text.pieces {
            format.appendLiteral(piece.literal)
            switch piece.value {
            case .text(let text): format.appendInterpolation(text)
            case .number(let number): format.appendInterpolation(number)
            case nil: break
            }
        }
        let place = ModelText.place(of: text.key)
        self.init(
            String.LocalizationValue(stringInterpolation: format), table: place.table,
            bundle: .atURL(place.bundle.bundleURL))
    }
}
#else
package import Foundation
import StringCatalogs

private let catalogs = StringCatalogs()

extension ModelText {
    /// The app's catalogue takes precedence.
    package static func place(of key: String) -> (bundle: Bundle, table: String) {
        let isOwn = catalogs.catalog(of: Phone.app, table: appTable)?.has(key) == true
        return isOwn ? (Phone.app, appTable) : (.module, "Localizable")
    }

    var lookedUp: String {
        let place = Self.place(of: key)
        let count = pieces.lazy.compactMap { if case .number(let number) = $0.value { number } else { nil } }.first
        let catalog = catalogs.catalog(of: place.bundle, table: place.table)
        return Placeholders.fill(catalog?.text(for: key, count: count, in: Phone.language) ?? key, with: arguments)
    }
}
#endif
