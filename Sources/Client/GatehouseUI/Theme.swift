public import SwiftUI

/// The fonts and shapes of the screens, and the logo. The defaults are the system's.
///
/// ```swift
/// let theme = Theme(design: .rounded, buttonShape: .capsule, logo: Image("Logo"))
/// let branding = Branding(name: "DailyRitual", accent: .indigo, theme: theme)
/// ```
///
/// Apple's button keeps its font and colours, and Google's its colours, as both companies require. The titles in
/// bars, the footers of lists, alerts and dialogs keep the system's font.
public struct Theme: Sendable {
    /// The colour of text on ``Branding/accent``. If nil, or if its contrast is below 4.5:1, the text is white where
    /// that has enough contrast, else black.
    public var onAccent: Color?
    /// The design of the system's font; nil for the one that the app has set. Fonts named here have none.
    public var design: Font.Design?
    /// The name of the font of headings; nil for the system's. It scales with the text size of the device, like
    /// ``bodyFont`` and ``buttonFont``. If the app has no font of that name, the system's is shown.
    public var titleFont: String?
    /// The name of the font of other texts.
    public var bodyFont: String?
    /// The name of the font of wide buttons.
    public var buttonFont: String?
    /// The corner radius of wide buttons and panels, in points.
    public var cornerRadius: CGFloat
    /// The shape of wide buttons, Apple's included; nil for a rectangle with ``cornerRadius``.
    public var buttonShape: ButtonBorderShape?
    /// The picture on the login screen; nil for ``Branding/symbol``. It is as high as the symbol, and decorative: the
    /// app's name is below it.
    public var logo: Image?

    /// Creates a theme; the parameters are its properties.
    public init(
        onAccent: Color? = nil, design: Font.Design? = nil, titleFont: String? = nil, bodyFont: String? = nil,
        buttonFont: String? = nil, cornerRadius: CGFloat = 12, buttonShape: ButtonBorderShape? = nil,
        logo: Image? = nil
    ) {
        self.onAccent = onAccent
        self.design = design
        self.titleFont = titleFont
        self.bodyFont = bodyFont
        self.buttonFont = buttonFont
        self.cornerRadius = cornerRadius
        self.buttonShape = buttonShape
        self.logo = logo
    }
}

extension Theme {
    /// A text's purpose.
    enum Role {
        case title, body, button
    }

    /// The font of a text. It scales with the text size of the device.
    func font(_ role: Role, _ style: Font.TextStyle) -> Font {
        let name =
            switch role {
            case .title: titleFont
            case .body: bodyFont
            case .button: buttonFont
            }
        return name.map { .custom($0, size: style.points, relativeTo: style) } ?? .system(style)
    }

    /// The outline of a wide button.
    var outline: AnyShape {
        buttonShape.map { AnyShape($0) } ?? AnyShape(RoundedRectangle(cornerRadius: cornerRadius))
    }
}

extension View {
    /// The theme's font for a text of this style.
    func textStyle(_ style: Font.TextStyle, _ role: Theme.Role = .body, weight: Font.Weight? = nil) -> some View {
        modifier(ThemedText(role: role, style: style, weight: weight))
    }

    /// The theme's font for the other texts of a screen.
    func themed() -> some View { modifier(ThemedScreen()) }
}

private struct ThemedText: ViewModifier {
    @Environment(\.branding) private var branding
    let role: Theme.Role
    let style: Font.TextStyle
    let weight: Font.Weight?

    func body(content: Content) -> some View {
        let font = branding.theme.font(role, style)
        // The system's headline is semibold by itself.
        let weight = weight ?? (style == .headline ? .semibold : nil)
        content.font(weight.map { font.weight($0) } ?? font)
    }
}

private struct ThemedScreen: ViewModifier {
    @Environment(\.branding) private var branding
    @Environment(\.font) private var inherited

    func body(content: Content) -> some View {
        let theme = branding.theme
        let text = content.font(theme.bodyFont == nil ? inherited : theme.font(.body, .body))
        // Without a design in the theme, a screen keeps the app's.
        if let design = theme.design { text.fontDesign(design) } else { text }
    }
}

extension EnvironmentValues {
    /// The colour of text on the accent, in light or dark appearance.
    var onAccent: Color {
        let accent = branding.accent.resolve(in: self).over(colorScheme == .dark ? .black : .white)
        return Color(.legible(on: accent, preferring: branding.theme.onAccent?.resolve(in: self)))
    }
}
