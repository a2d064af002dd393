public import SwiftUI

/// The screens' fonts, shapes and logo, by default the system's.
///
/// ```swift
/// let theme = Theme(design: .rounded, buttonShape: .capsule, logo: Image("Logo"))
/// let branding = Branding(name: "DailyRitual", accent: .indigo, theme: theme)
/// ```
///
/// Apple's button keeps its font and colours, and Google's its colours, as both require. Titles in bars, list footers,
/// alerts and dialogs keep the system's font.
public struct Theme: Sendable {
    /// The colour of text on ``Branding/accent``. If nil, or with a contrast below 4.5:1, white or black.
    public var onAccent: Color?
    /// The design of the system's font; nil for the app's. Named fonts have none.
    public var design: Font.Design?
    /// The headings' font name; nil, or one that the app lacks, is the system's.
    ///
    /// Like ``bodyFont`` and ``buttonFont``, it scales with the device's text size.
    public var titleFont: String?
    /// The font name of other texts.
    public var bodyFont: String?
    /// The font name of wide buttons.
    public var buttonFont: String?
    /// The corner radius of wide buttons and panels, in points.
    public var cornerRadius: CGFloat
    /// The shape of wide buttons; nil for a rectangle with ``cornerRadius``.
    public var buttonShape: ButtonBorderShape?
    /// The login screen's picture, as high as the symbol; nil for ``Branding/symbol``. VoiceOver skips it.
    public var logo: Image?

    /// Creates a theme from its properties.
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
    enum Role {
        case title, body, button
    }

    /// Scales with the device's text size.
    func font(_ role: Role, _ style: Font.TextStyle) -> Font {
        let name =
            switch role {
            case .title: titleFont
            case .body: bodyFont
            case .button: buttonFont
            }
        return name.map { .custom($0, size: style.points, relativeTo: style) } ?? .system(style)
    }

    var outline: AnyShape {
        buttonShape.map { AnyShape($0) } ?? AnyShape(RoundedRectangle(cornerRadius: cornerRadius))
    }
}

extension View {
    func textStyle(_ style: Font.TextStyle, _ role: Theme.Role = .body, weight: Font.Weight? = nil) -> some View {
        modifier(ThemedText(role: role, style: style, weight: weight))
    }

    func themed() -> some View { modifier(ThemedScreen()) }
}

private struct ThemedText: ViewModifier {
    @Environment(\.branding) private var branding
    let role: Theme.Role
    let style: Font.TextStyle
    let weight: Font.Weight?

    func body(content: Content) -> some View {
        let font = branding.theme.font(role, style)
        // The system's headline is semibold itself.
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
        // Otherwise a screen keeps the app's design.
        if let design = theme.design { text.fontDesign(design) } else { text }
    }
}

extension EnvironmentValues {
    /// In light or dark appearance.
    var onAccent: Color {
        let accent = branding.accent.resolve(in: self).over(colorScheme == .dark ? .black : .white)
        return Color(.legible(on: accent, preferring: branding.theme.onAccent?.resolve(in: self)))
    }
}
