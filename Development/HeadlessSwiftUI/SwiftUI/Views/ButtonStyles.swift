@MainActor @preconcurrency public protocol ButtonStyle {
    associatedtype Body: View
    typealias Configuration = ButtonStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

public struct ButtonStyleConfiguration {
    public struct Label {
        fileprivate let view: any View
    }

    public let role: ButtonRole?
    public let label: ButtonStyleConfiguration.Label
    public let isPressed: Bool
}

extension ButtonStyleConfiguration.Label: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: view) }
}

@MainActor @preconcurrency public protocol PrimitiveButtonStyle {
    associatedtype Body: View
    typealias Configuration = PrimitiveButtonStyleConfiguration
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Self.Configuration) -> Self.Body
}

public struct PrimitiveButtonStyleConfiguration {
    public struct Label {
        fileprivate let view: any View
    }

    public let role: ButtonRole?
    public let label: PrimitiveButtonStyleConfiguration.Label
    let action: @MainActor () -> Void

    @MainActor public func trigger() { action() }
}

extension PrimitiveButtonStyleConfiguration.Label: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: view) }
}

public struct DefaultButtonStyle {
    public init() {}
}

extension DefaultButtonStyle: PrimitiveButtonStyle {
    public func makeBody(configuration: Configuration) -> some View { Button(configuration) }
}

public struct PlainButtonStyle {
    public init() {}
}

extension PlainButtonStyle: PrimitiveButtonStyle {
    public func makeBody(configuration: Configuration) -> some View { Button(configuration) }
}

public struct BorderlessButtonStyle {
    public init() {}
}

extension BorderlessButtonStyle: PrimitiveButtonStyle {
    public func makeBody(configuration: Configuration) -> some View { Button(configuration) }
}

public struct BorderedButtonStyle {
    public init() {}
}

extension BorderedButtonStyle: PrimitiveButtonStyle {
    public func makeBody(configuration: Configuration) -> some View { Button(configuration) }
}

public struct BorderedProminentButtonStyle {
    public init() {}
}

extension BorderedProminentButtonStyle: PrimitiveButtonStyle {
    public func makeBody(configuration: Configuration) -> some View { Button(configuration) }
}

extension PrimitiveButtonStyle where Self == DefaultButtonStyle {
    public static var automatic: DefaultButtonStyle { DefaultButtonStyle() }
}

extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}

extension View {
    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
        setting(\.buttonStyle, PrimitiveRendering(style: style))
    }

    nonisolated public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View {
        setting(\.buttonStyle, StyleRendering(style: style))
    }
}

struct ButtonParts {
    let role: ButtonRole?
    let label: any View
    let action: @MainActor () -> Void
}

protocol ButtonRendering {
    @MainActor func elements(
        _ parts: ButtonParts, _ button: ScreenElement, _ context: RenderContext
    ) -> [ScreenElement]
}

private struct StyleRendering<Style: ButtonStyle>: ButtonRendering {
    let style: Style

    func elements(_ parts: ButtonParts, _ button: ScreenElement, _ context: RenderContext) -> [ScreenElement] {
        button.details["style"] = "custom"
        let configuration = ButtonStyleConfiguration(
            role: parts.role, label: .init(view: parts.label), isPressed: false)
        let inner = context.child(.slot("style"))
        var linked = style
        inner.link(&linked)
        return inner.elements(of: linked.makeBody(configuration: configuration))
    }
}

private struct PrimitiveRendering<Style: PrimitiveButtonStyle>: ButtonRendering {
    let style: Style

    func elements(_ parts: ButtonParts, _ button: ScreenElement, _ context: RenderContext) -> [ScreenElement] {
        var inner = context
        inner.environment.buttonStyle = nil
        switch style {
        case is PlainButtonStyle:
            button.details["style"] = "plain"
            return inner.child(.slot("style")).elements(of: parts.label)
        case is BorderedProminentButtonStyle:
            button.details["style"] = "prominent"
            inner.environment.foreground = Color.white
            button.style.background = (context.environment.tint ?? .blue).css(context.environment)
            return inner.child(.slot("style")).elements(of: parts.label)
        case is BorderedButtonStyle: button.details["style"] = "bordered"
        case is DefaultButtonStyle, is BorderlessButtonStyle: break
        default:
            // A custom style, which contains its own button.
            let configuration = PrimitiveButtonStyleConfiguration(
                role: parts.role, label: .init(view: parts.label), action: parts.action)
            let shown = inner.child(.slot("style")).elements(of: style.makeBody(configuration: configuration))
            return shown.flatMap { $0.kind == .button ? $0.children : [$0] }
        }
        return DefaultButtonStyle().elements(parts, button, inner)
    }
}

extension DefaultButtonStyle: ButtonRendering {
    func elements(_ parts: ButtonParts, _ button: ScreenElement, _ context: RenderContext) -> [ScreenElement] {
        var inner = context.child(.slot("style"))
        if inner.environment.foreground == nil {
            inner.environment.foreground = parts.role == .destructive ? Color.red : Color.accentColor
        }
        return inner.elements(of: parts.label)
    }
}
