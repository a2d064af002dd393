public import SwiftUI

/// What makes the screens an app's own.
public struct Branding: Sendable {
    /// The app's name, not translated.
    public var name: String
    /// An SF Symbol.
    public var symbol: String
    /// Why to sign in. A key of `bundle`, or of this package's catalogue.
    public var tagline: String
    /// Where the tagline is translated; nil for this package.
    public var bundle: Bundle?
    /// Of the symbol, the avatar and the prominent buttons.
    public var accent: Color

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
