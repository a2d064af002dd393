public struct Font: Hashable, Sendable {
    /// By ascending text size; a single value does not scale.
    private let sizes: [CGFloat]
    private var cssWeight = 400
    private var isItalicized = false
    private var isMono = false
    private var name: String?

    private init(_ sizes: CGFloat..., weight: Weight = .regular) { (self.sizes, cssWeight) = (sizes, weight.css) }
    private init(sizes: [CGFloat], name: String) { (self.sizes, self.name) = (sizes, name) }

    // From Apple's table of sizes.
    public static let largeTitle = Font(31, 32, 33, 34, 36, 38, 40, 44, 48, 52, 56, 60)
    public static let title = Font(25, 26, 27, 28, 30, 32, 34, 38, 43, 48, 53, 58)
    public static let title2 = Font(19, 20, 21, 22, 24, 26, 28, 34, 39, 44, 50, 56)
    public static let title3 = Font(17, 18, 19, 20, 22, 24, 26, 31, 37, 43, 49, 55)
    public static let headline = Font(14, 15, 16, 17, 19, 21, 23, 28, 33, 40, 47, 53, weight: .semibold)
    public static let subheadline = Font(12, 13, 14, 15, 17, 19, 21, 25, 30, 36, 42, 49)
    public static let body = Font(14, 15, 16, 17, 19, 21, 23, 28, 33, 40, 47, 53)
    public static let callout = Font(13, 14, 15, 16, 18, 20, 22, 26, 32, 38, 44, 51)
    public static let footnote = Font(12, 12, 12, 13, 15, 17, 19, 23, 27, 33, 38, 44)
    public static let caption = Font(11, 11, 11, 12, 14, 16, 18, 22, 26, 32, 37, 43)
    public static let caption2 = Font(11, 11, 11, 11, 13, 15, 17, 20, 24, 29, 34, 40)

    public static func system(size: CGFloat, weight: Font.Weight? = nil, design: Font.Design? = nil) -> Font {
        var font = Font(size, weight: weight ?? .regular)
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

    public static func custom(_ name: String, size: CGFloat, relativeTo textStyle: Font.TextStyle) -> Font {
        let sizes = textStyle.font.sizes
        let base = sizes[DynamicTypeSize.large.index]
        return Font(sizes: sizes.map { size * $0 / base }, name: name)
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
        let size = sizes.count == 1 ? sizes[0] : sizes[environment.dynamicTypeSize.index]
        var font = ElementStyle.TextFont(size: size, weight: cssWeight, isItalic: isItalicized, isMonospaced: isMono)
        if let name {
            // The name goes into a style sheet.
            font.family = "'\(name.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " })'"
        } else {
            font.family = environment.fontDesign?.css
        }
        return font
    }

    @nonexhaustive public enum TextStyle: CaseIterable, Hashable, Sendable {
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

    @nonexhaustive public enum Design: Hashable, Sendable {
        case `default`, serif, rounded, monospaced

        fileprivate var css: String? {
            switch self {
            case .default: nil
            case .serif: "ui-serif, serif"
            case .rounded: "ui-rounded, sans-serif"
            case .monospaced: "ui-monospace, monospace"
            }
        }
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
