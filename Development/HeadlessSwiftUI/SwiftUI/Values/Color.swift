public protocol ShapeStyle: Sendable {}

protocol ColorStyle: ShapeStyle {
    var color: Color { get }
}

extension ShapeStyle {
    func css(_ environment: EnvironmentValues) -> String {
        ((self as? any ColorStyle)?.color ?? .primary).css(environment)
    }
}

public struct Color: Hashable, Sendable, ColorStyle {
    private indirect enum Source: Hashable, Sendable {
        /// For light and dark appearance.
        case named(String, String)
        case tint
        case faded(Color, Double)
    }

    private let source: Source

    private init(_ source: Source) { self.source = source }
    init(_ light: String, _ dark: String) { source = .named(light, dark) }

    public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
        let parts = [red, green, blue].map { String(Int(($0 * 255).rounded())) }.joined(separator: " ")
        self.init("rgb(\(parts) / \(opacity))", "rgb(\(parts) / \(opacity))")
    }

    public init(white: Double, opacity: Double = 1) {
        self.init(red: white, green: white, blue: white, opacity: opacity)
    }

    public init(uiColor: UIColor) { self = uiColor.color }
    public init(_ uiColor: UIColor) { self = uiColor.color }

    public init(_ resolved: Color.Resolved) {
        self.init(
            red: Double(resolved.red), green: Double(resolved.green), blue: Double(resolved.blue),
            opacity: Double(resolved.opacity))
    }

    public func opacity(_ opacity: Double) -> Color { Color(.faded(self, opacity)) }

    public func resolve(in environment: EnvironmentValues) -> Color.Resolved {
        if case .faded(let color, let opacity) = source {
            var resolved = color.resolve(in: environment)
            resolved.opacity *= Float(opacity)
            return resolved
        }
        return Resolved(css: css(environment))
    }

    // Blue, red, secondary and the tint are as close to Apple's colours as a contrast of 4.5 : 1 allows, as text and
    // behind white text.
    // swift-format-ignore: DontRepeatTypeInStaticProperties
    public static let accentColor = Color(.tint)
    public static let black = Color("#000", "#000")
    public static let white = Color("#fff", "#fff")
    public static let clear = Color("transparent", "transparent")
    public static let primary = Color("#000", "#fff")
    public static let secondary = Color("rgb(60 60 67 / .75)", "rgb(235 235 245 / .6)")
    public static let blue = Color("#0066d6", "#0a6ee8")
    public static let red = Color("#d70015", "#ff6961")
    public static let green = Color("#34c759", "#30d158")
    public static let orange = Color("#ff9500", "#ff9f0a")
    public static let yellow = Color("#ffcc00", "#ffd60a")
    public static let purple = Color("#af52de", "#bf5af2")
    public static let indigo = Color("#5856d6", "#5e5ce6")
    public static let teal = Color("#30b0c7", "#40c8e0")
    public static let pink = Color("#ff2d55", "#ff375f")
    public static let brown = Color("#a2845e", "#ac8e68")
    public static let gray = Color("#8e8e93", "#8e8e93")

    var color: Color { self }

    func css(_ environment: EnvironmentValues) -> String {
        switch source {
        case .named(let light, let dark): environment.colorScheme == .dark ? dark : light
        case .tint: (environment.tint ?? Color("#0066d6", "#409cff")).css(environment)
        case .faded(let color, let opacity):
            "color-mix(in srgb, \(color.css(environment)) \(Int((opacity * 100).rounded()))%, transparent)"
        }
    }
}

extension Color: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.shape)
        element.style.background = css(context.environment)
        return [element]
    }
}

extension ShapeStyle where Self == Color {
    public static var black: Color { Color("#000", "#000") }
    public static var white: Color { Color("#fff", "#fff") }
    public static var clear: Color { Color("transparent", "transparent") }
    public static var blue: Color { Color("#0066d6", "#0a6ee8") }
    public static var red: Color { Color("#d70015", "#ff6961") }
    public static var green: Color { Color("#34c759", "#30d158") }
    public static var orange: Color { Color("#ff9500", "#ff9f0a") }
    public static var gray: Color { Color("#8e8e93", "#8e8e93") }
}

public struct UIColor: Hashable, Sendable {
    let color: Color

    public static let systemBackground = UIColor(color: Color("#fff", "#000"))
    public static let secondarySystemBackground = UIColor(color: Color("#f2f2f7", "#1c1c1e"))
    public static let systemGroupedBackground = UIColor(color: Color("#f2f2f7", "#000"))
    public static let secondarySystemGroupedBackground = UIColor(color: Color("#fff", "#1c1c1e"))
    public static let systemGray4 = UIColor(color: Color("#d1d1d6", "#3a3a3c"))
    public static let systemGray5 = UIColor(color: Color("#e5e5ea", "var(--gray5, #2c2c2e)"))
    public static let systemGray6 = UIColor(color: Color("#f2f2f7", "#1c1c1e"))
    public static let label = UIColor(color: .primary)
    public static let secondaryLabel = UIColor(color: .secondary)
    public static let separator = UIColor(color: Color("rgb(60 60 67 / .29)", "rgb(84 84 88 / .6)"))
}

public struct HierarchicalShapeStyle: Sendable, ColorStyle {
    let color: Color

    public static let primary = HierarchicalShapeStyle(color: .primary)
    public static let secondary = HierarchicalShapeStyle(color: .secondary)
    public static let tertiary = HierarchicalShapeStyle(
        color: Color("rgb(60 60 67 / .3)", "rgb(235 235 245 / .3)"))
    public static let quaternary = HierarchicalShapeStyle(
        color: Color("rgb(60 60 67 / .18)", "rgb(235 235 245 / .18)"))
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle(color: .primary) }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(color: .secondary) }
    public static var tertiary: HierarchicalShapeStyle {
        HierarchicalShapeStyle(color: Color("rgb(60 60 67 / .3)", "rgb(235 235 245 / .3)"))
    }
}

public struct TintShapeStyle: Sendable, ColorStyle {
    public init() {}
    var color: Color { .accentColor }
}

extension ShapeStyle where Self == TintShapeStyle {
    public static var tint: TintShapeStyle { TintShapeStyle() }
}

public struct Material: Sendable, ColorStyle {
    var color: Color { Color("rgb(246 246 246 / .94)", "rgb(44 44 46 / .94)") }
}

extension ShapeStyle where Self == Material {
    public static var regularMaterial: Material { Material() }
    public static var thickMaterial: Material { Material() }
    public static var thinMaterial: Material { Material() }
    public static var ultraThinMaterial: Material { Material() }
    public static var bar: Material { Material() }
}

public struct BackgroundStyle: Sendable, ColorStyle {
    public init() {}
    var color: Color { UIColor.systemBackground.color }
}

extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}
