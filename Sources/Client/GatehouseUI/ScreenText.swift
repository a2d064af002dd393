import GatehouseModel
import SwiftUI

/// A catalogue key, and the same with its values.
struct ScreenText: ExpressibleByStringInterpolation {
    let key: String
    let value: LocalizedStringKey

    init(stringLiteral key: String) { (self.key, value) = (key, LocalizedStringKey(key)) }

    init(stringInterpolation parts: StringInterpolation) {
        (key, value) = (parts.key, LocalizedStringKey(stringInterpolation: parts.value))
    }

    init(_ text: ModelText) {
        var parts = StringInterpolation(
            literalCapacity: text.key.utf8.count, interpolationCount: text.arguments.count)
        for piece in text.pieces {
            parts.appendLiteral(piece.literal)
            switch piece.value {
            case .text(let text): parts.appendInterpolation(text)
            case .number(let number): parts.appendInterpolation(number)
            case nil: break
            }
        }
        self.init(stringInterpolation: parts)
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key = ""
        fileprivate var value: LocalizedStringKey.StringInterpolation

        init(literalCapacity: Int, interpolationCount: Int) {
            value = LocalizedStringKey.StringInterpolation(
                literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) {
            key += literal
            value.appendLiteral(literal)
        }

        mutating func appendInterpolation(_ text: String) {
            key += "%@"
            value.appendInterpolation(text)
        }

        mutating func appendInterpolation(_ text: Text) {
            key += "%@"
            value.appendInterpolation(text)
        }

        /// Selects the plural form.
        mutating func appendInterpolation(_ number: Int) {
            key += "%lld"
            value.appendInterpolation(number)
        }
    }
}

extension Text {
    /// In the app's wording if it has one.
    init(ui text: ScreenText) {
        let place = ModelText.place(of: text.key)
        self.init(text.value, tableName: place.table, bundle: place.bundle)
    }

    init(model text: ModelText) { self.init(ui: ScreenText(text)) }
}

func announce(_ text: ModelText) { AccessibilityNotification.Announcement(text.localized).post() }
