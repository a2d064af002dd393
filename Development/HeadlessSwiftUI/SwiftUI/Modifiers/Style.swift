extension View {
    nonisolated public func font(_ font: Font?) -> some View { setting(\.font, font) }
    nonisolated public func fontDesign(_ design: Font.Design?) -> some View { setting(\.fontDesign, design) }
    nonisolated public func fontWeight(_ weight: Font.Weight?) -> some View { setting(\.fontWeight, weight) }
    nonisolated public func bold(_ isActive: Bool = true) -> some View { setting(\.isBold, isActive) }
    nonisolated public func monospacedDigit() -> some View { self }
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { setting(\.foreground, style) }
    nonisolated public func foregroundColor(_ color: Color?) -> some View { setting(\.foreground, color) }
    nonisolated public func tint(_ tint: Color?) -> some View { setting(\.tint, tint) }
    nonisolated public func lineLimit(_ number: Int?) -> some View { setting(\.lineLimit, number) }
    nonisolated public func minimumScaleFactor(_ factor: CGFloat) -> some View { self }
    nonisolated public func multilineTextAlignment(_ alignment: TextAlignment) -> some View {
        setting(\.multilineTextAlignment, alignment)
    }

    nonisolated public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View {
        change(SchemeChange(scheme: colorScheme))
    }

    nonisolated public func disabled(_ disabled: Bool) -> some View { change(DisabledChange(isDisabled: disabled)) }
    nonisolated public func hidden() -> some View { each { $0.isHidden = true } }
    nonisolated public func opacity(_ opacity: Double) -> some View {
        each { element in
            element.style.opacity = opacity
            if opacity == 0 { element.isHidden = true }
        }
    }

    nonisolated public func background<S: ShapeStyle>(
        _ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all
    ) -> some View {
        boxed { $0.background = style.css($1) }
    }

    nonisolated public func background<S: ShapeStyle, T: InsettableShape>(
        _ style: S, in shape: T, fillStyle: FillStyle = FillStyle()
    ) -> some View {
        boxed { box, environment in
            box.background = style.css(environment)
            box.cornerRadius = corner(of: shape)
        }
    }

    nonisolated public func border<S: ShapeStyle>(_ content: S, width: CGFloat = 1) -> some View {
        boxed { $0.border = "\(width)px solid \(content.css($1))" }
    }

    nonisolated public func clipShape<S: Shape>(_ shape: S, style: FillStyle = FillStyle()) -> some View {
        boxed { box, _ in (box.cornerRadius, box.isClipped) = (corner(of: shape), true) }
    }

    nonisolated public func cornerRadius(_ radius: CGFloat, antialiased: Bool = true) -> some View {
        clipShape(RoundedRectangle(cornerRadius: radius))
    }

    nonisolated public func shadow(
        color: Color = Color(white: 0, opacity: 0.33), radius: CGFloat, x: CGFloat = 0, y: CGFloat = 0
    ) -> some View {
        self
    }

    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
    nonisolated public func transition(_ transition: AnyTransition) -> some View { self }
    nonisolated public func redacted(reason: RedactionReasons) -> some View { self }
    nonisolated public func privacySensitive(_ sensitive: Bool = true) -> some View { self }
    nonisolated public func scrollContentBackground(_ visibility: Visibility) -> some View { self }
    nonisolated public func controlSize(_ controlSize: ControlSize) -> some View { self }

    nonisolated public func sensoryFeedback<T: Equatable>(_ feedback: SensoryFeedback, trigger: T) -> some View {
        self
    }

    nonisolated public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        change(TapChange(action: action))
    }
}

public struct FillStyle: Equatable, Sendable {
    public var isEOFilled: Bool
    public var isAntialiased: Bool

    public init(eoFill: Bool = false, antialiased: Bool = true) {
        (isEOFilled, isAntialiased) = (eoFill, antialiased)
    }
}

public struct AnyTransition {
    public static var opacity: AnyTransition { AnyTransition() }
    public static var identity: AnyTransition { AnyTransition() }
    public static var slide: AnyTransition { AnyTransition() }
}

@available(*, unavailable) extension AnyTransition: Sendable {}

public struct RedactionReasons: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let placeholder = RedactionReasons(rawValue: 1)
    public static let privacy = RedactionReasons(rawValue: 2)
}

@nonexhaustive public enum ControlSize: CaseIterable, Hashable, Sendable {
    case mini
    case small
    case regular
    case large
}

public struct SensoryFeedback: Equatable, Sendable {
    private let name: String

    public static let success = SensoryFeedback(name: "success")
    public static let warning = SensoryFeedback(name: "warning")
    public static let error = SensoryFeedback(name: "error")
    public static let selection = SensoryFeedback(name: "selection")
    public static let impact = SensoryFeedback(name: "impact")
}

/// A disabled view stays disabled, whatever its descendants set.
private struct DisabledChange: ViewChange {
    let isDisabled: Bool

    func prepare(_ context: inout RenderContext) { if isDisabled { context.environment.isEnabled = false } }
}

private struct SchemeChange: ViewChange {
    let scheme: ColorScheme?

    func prepare(_ context: inout RenderContext) {
        if let scheme { context.environment.colorScheme = scheme }
    }
}

struct TapChange: ViewChange {
    let action: () -> Void

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        guard context.environment.isEnabled else { return elements }
        for element in elements where !element.isPresentation && element.action == nil {
            element.action = { action() }
            element.details["isTapArea"] = "true"
        }
        return elements
    }
}

extension RenderContext {
    var textStyle: ElementStyle {
        var style = ElementStyle()
        style.font = (environment.font ?? .body).resolve(environment)
        if let weight = environment.fontWeight { style.font?.weight = weight.css }
        if environment.isBold { style.font?.weight = Font.Weight.bold.css }
        style.color = environment.foreground?.css(environment)
        style.textAlignment = environment.multilineTextAlignment
        style.lineLimit = environment.lineLimit
        return style
    }
}

@MainActor @preconcurrency public protocol TextSelectability {
    static var allowsSelection: Bool { get }
}

public struct EnabledTextSelectability: TextSelectability {
    public static var allowsSelection: Bool { true }
}

public struct DisabledTextSelectability: TextSelectability {
    public static var allowsSelection: Bool { false }
}

extension TextSelectability where Self == EnabledTextSelectability {
    public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

extension TextSelectability where Self == DisabledTextSelectability {
    public static var disabled: DisabledTextSelectability { DisabledTextSelectability() }
}

extension View {
    /// Text is always selectable here.
    nonisolated public func textSelection<S: TextSelectability>(_ selectability: S) -> some View { self }

    /// The headless page never changes the case of texts.
    nonisolated public func textCase(_ textCase: Text.Case?) -> some View { self }
}

extension Text {
    @nonexhaustive public enum Case: Sendable {
        case uppercase
        case lowercase
    }
}
