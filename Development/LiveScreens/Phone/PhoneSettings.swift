import Foundation
import GatehouseWire
import ScreenDriver
import SwiftUI

struct PhoneSettings: Hashable, Sendable {
    static let languages = [("en", "English"), ("es", "Español"), ("de", "Deutsch"), ("ja", "日本語"), ("ar", "العربية")]
    /// In ascending order. `large` is the default.
    static let sizes: [(name: String, title: String, size: DynamicTypeSize)] = [
        ("small", "Small", .small), ("large", "Default", .large), ("xxxLarge", "Large", .xxxLarge),
        ("accessibility3", "Very large", .accessibility3),
    ]

    var isDark = false
    var language = "en"
    var size = "large"

    /// - Returns: Whether the setting and the value exist.
    mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "appearance" where ["light", "dark"].contains(value): isDark = value == "dark"
        case "language" where Self.languages.contains { $0.0 == value }: language = value
        case "size" where Self.sizes.contains { $0.name == value }: size = value
        default: return false
        }
        return true
    }

    var screen: Screen.Settings {
        Screen.Settings(
            colorScheme: isDark ? .dark : .light,
            dynamicTypeSize: Self.sizes.first { $0.name == size }?.size ?? .large,
            locale: Locale(identifier: language))
    }
}
