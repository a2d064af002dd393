public import Foundation
public import SwiftUI

/// The app's name, symbol, tagline, colour and theme in the screens.
///
/// ```swift
/// let branding = Branding(
///     name: "DailyRitual", symbol: "book.closed.fill", tagline: "Sign in to keep your journal", bundle: .main,
///     accent: .indigo)
/// HomeView().gatehouse(manager, branding: branding)
/// ```
public struct Branding: Sendable {
    /// The app's name, not localized.
    public var name: String
    /// An SF Symbol's name.
    public var symbol: String
    /// The reason to sign in, as a key in `bundle`.
    public var tagline: String?
    /// The tagline's string catalogue; nil for `.main`.
    public var bundle: Bundle?
    /// The colour of symbols, the avatar and prominent buttons. Text on it is ``Theme/onAccent``.
    public var accent: Color
    /// The fonts, shapes and logo.
    public var theme: Theme

    /// The name under the app's icon; "Account" for a program without one.
    public static var appName: String {
        let names = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap {
            Bundle.main.object(forInfoDictionaryKey: $0) as? String
        }
        return names.first { !$0.isEmpty } ?? "Account"
    }

    /// Creates a branding whose defaults fit every app.
    ///
    /// - Parameters:
    ///   - bundle: The bundle whose string catalogue translates the tagline.
    ///   - accent: By default a blue with enough contrast for white text.
    public init(
        name: String = Branding.appName, symbol: String = "person.crop.circle.fill", tagline: String? = nil,
        bundle: Bundle? = nil, accent: Color = Color(red: 0.04, green: 0.43, blue: 0.91), theme: Theme = Theme()
    ) {
        self.name = name
        self.symbol = symbol
        self.tagline = tagline
        self.bundle = bundle
        self.accent = accent
        self.theme = theme
    }
}
