public struct Font: Hashable, Sendable {
    private let size: CGFloat
    /// Whether it grows with the reader's text size.
    private let isScaled: Bool
    private var cssWeight = 400
    private var isItalicized = false
    private var isMono = false

    private init(_ size: CGFloat, isScaled: Bool = true, weight: Weight = .regular) {
        (self.size, self.isScaled, cssWeight) = (size, isScaled, weight.css)
    }

    public static let largeTitle = Font(34)
    public static let title = Font(28)
    public static let title2 = Font(22)
    public static let title3 = Font(20)
    public static let headline = Font(17, weight: .semibold)
    public static let subheadline = Font(15)
    public static let body = Font(17)
    public static let callout = Font(16)
    public static let footnote = Font(13)
    public static let caption = Font(12)
    public static let caption2 = Font(11)

    public static func system(size: CGFloat, weight: Font.Weight? = nil, design: Font.Design? = nil) -> Font {
        var font = Font(size, isScaled: false, weight: weight ?? .regular)
        font.isMono = design == .monospaced
        return font
    }

    public static func system(
        _ style: Font.TextStyle, design: Font.Design? = nil, weight: Font.Weight? = nil
    ) -> Font {
        var font = style.font
        if let weight { font.cssWeight = weight.css }
        font.isMono = design == .monospaced
        return font
    }

    public func bold() -> Font { weight(.bold) }
    public func weight(_ weight: Font.Weight) -> Font {
        var font = self
        font.cssWeight = weight.css
        return font
    }
    public func italic() -> Font {
        var font = self
        font.isItalicized = true
        return font
    }
    public func monospaced() -> Font {
        var font = self
        font.isMono = true
        return font
    }
    public func monospacedDigit() -> Font { self }

    func resolve(_ environment: EnvironmentValues) -> ElementStyle.TextFont {
        let factor = isScaled ? environment.dynamicTypeSize.factor : 1
        return ElementStyle.TextFont(
            size: size * factor, weight: cssWeight, isItalic: isItalicized, isMonospaced: isMono)
    }

    public enum TextStyle: CaseIterable, Hashable, Sendable {
        case largeTitle, title, title2, title3, headline, subheadline, body, callout, footnote, caption, caption2

        fileprivate var font: Font {
            switch self {
            case .largeTitle: .largeTitle
            case .title: .title
            case .title2: .title2
            case .title3: .title3
            case .headline: .headline
            case .subheadline: .subheadline
            case .body: .body
            case .callout: .callout
            case .footnote: .footnote
            case .caption: .caption
            case .caption2: .caption2
            }
        }
    }

    public enum Design: Hashable, Sendable {
        case `default`, serif, rounded, monospaced
    }

    public struct Weight: Hashable, Sendable {
        let css: Int

        public static let ultraLight = Weight(css: 100)
        public static let thin = Weight(css: 200)
        public static let light = Weight(css: 300)
        public static let regular = Weight(css: 400)
        public static let medium = Weight(css: 500)
        public static let semibold = Weight(css: 600)
        public static let bold = Weight(css: 700)
        public static let heavy = Weight(css: 800)
        public static let black = Weight(css: 900)
    }
}
