public import Foundation
public import SwiftUI

/// The app's name, symbol, tagline, colour and theme in the screens. `ModelText` says how an app rewords the other texts.
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
    /// The name of an SF Symbol.
    public var symbol: String
    /// The reason to sign in, as a key in `bundle`; nil for none.
    public var tagline: String?
    /// The bundle whose string catalogue translates the tagline; nil for `.main`.
    public var bundle: Bundle?
    /// The colour of symbols, the avatar and prominent buttons. Text on it is white, or black if white has too little
    /// contrast; see ``Theme/onAccent``.
    public var accent: Color
    /// The fonts and shapes, and the logo.
    public var theme: Theme

    /// The app's own name, as under its icon; "Account" for a program without one.
    public static var appName: String {
        let names = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap {
            Bundle.main.object(forInfoDictionaryKey: $0) as? String
        }
        return names.first { !$0.isEmpty } ?? "Account"
    }

    /// Creates a branding. The defaults fit every app.
    ///
    /// - Parameters:
    ///   - bundle: The bundle whose string catalogue translates the tagline.
    ///   - accent: A blue with enough contrast for white text by default, which the system's blue does not have.
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
