public import Foundation
public import SwiftUI

/// The app's own texts, symbol and colour in the screens.
///
/// ```swift
/// let branding = Branding(
///     name: "DailyRitual", symbol: "book.closed.fill", tagline: "Sign in to keep your journal", bundle: .main,
///     accent: .indigo)
/// HomeView().gatehouse(manager, branding: branding, googleRedirect: redirectTo)
/// ```
public struct Branding: Sendable {
    /// The app's name, not localized.
    public var name: String
    /// The name of an SF Symbol.
    public var symbol: String
    /// The reason to sign in, as a key in `bundle` or in this package's catalogue.
    public var tagline: String
    /// The bundle with the tagline's translations; nil for this package.
    public var bundle: Bundle?
    /// The colour of the symbol, the avatar and prominent buttons.
    public var accent: Color

    /// Creates a branding. The defaults are those of the reference app BoxScore.
    ///
    /// - Parameter bundle: `.main` if the app's string catalogue translates the tagline.
    public init(
        name: String = "BoxScore", symbol: String = "sportscourt.fill",
        tagline: String = "Sign in to save your favorite teams\nand sync across devices", bundle: Bundle? = nil,
        accent: Color = .blue
    ) {
        self.name = name
        self.symbol = symbol
        self.tagline = tagline
        self.bundle = bundle
        self.accent = accent
    }
}
