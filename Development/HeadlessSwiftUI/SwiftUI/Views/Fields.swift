public struct TextField<Label: View> {
    private let parts: FieldParts<Label>
}

extension TextField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        parts = FieldParts(text: text, prompt: prompt, label: Text(titleKey))
    }

    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        parts = FieldParts(text: text, prompt: nil, label: Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {
        parts = FieldParts(text: text, prompt: prompt, label: Text(title))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        parts = FieldParts(text: text, prompt: nil, label: Text(title))
    }
}

extension TextField {
    nonisolated public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        parts = FieldParts(text: text, prompt: prompt, label: label())
    }
}

extension TextField: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { parts.elements(.textField, context) }
}

public struct SecureField<Label: View> {
    private let parts: FieldParts<Label>
}

extension SecureField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>, prompt: Text?) {
        parts = FieldParts(text: text, prompt: prompt, label: Text(titleKey))
    }

    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        parts = FieldParts(text: text, prompt: nil, label: Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>, prompt: Text?) {
        parts = FieldParts(text: text, prompt: prompt, label: Text(title))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        parts = FieldParts(text: text, prompt: nil, label: Text(title))
    }
}

extension SecureField {
    nonisolated public init(text: Binding<String>, prompt: Text? = nil, @ViewBuilder label: () -> Label) {
        parts = FieldParts(text: text, prompt: prompt, label: label())
    }
}

extension SecureField: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { parts.elements(.secureField, context) }
}

private struct FieldParts<Label: View> {
    let text: Binding<String>
    let prompt: Text?
    let label: Label

    @MainActor func elements(_ kind: ScreenElement.Kind, _ context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(kind)
        let (environment, text) = (context.environment, text)
        element.isEnabled = environment.isEnabled
        element.style = context.textStyle
        element.details = environment.fieldTraits.details
        element.details["style"] = environment.textFieldRendering
        let name = context.child(.slot("label")).elements(of: label).map(\.name).joined(separator: ", ")
        element.spoken.label = name
        let (keyboard, signal, claims) = (context.host.keyboard, context.host.signal, context.focusClaims)
        let (node, actions) = (context.node, environment.submitActions)
        var field = ScreenElement.Field {
            text.wrappedValue
        } write: {
            text.wrappedValue = $0
        } submit: {
            for action in actions.reversed() { action() }
        } focus: { isFocused in
            keyboard.move(to: node, claims, isFocused, signal)
        }
        field.isFocused = keyboard.isFocused(node, claims, canFocus: element.isEnabled && context.isOnTop)
        field.prompt = prompt.map(context.text) ?? name
        element.field = field
        return [element]
    }
}

extension FieldTraits {
    /// HTML attributes.
    fileprivate var details: [String: String] {
        var details: [String: String] = [:]
        details["autocomplete"] = contentType?.html
        details["inputmode"] = keyboard.inputMode
        details["autocapitalize"] = capitalization?.html
        details["autocorrect"] = isAutocorrected ? nil : "off"
        details["enterkeyhint"] = submitLabel?.html
        return details
    }
}

@MainActor @preconcurrency public protocol TextFieldStyle {
    nonisolated static var _rendering: _SystemRendering { get }
}

/// As in Apple's SDK, an app cannot create such a style.
public struct _SystemRendering {
    let name: String
}

public struct DefaultTextFieldStyle {
    public init() {}
}

extension DefaultTextFieldStyle: TextFieldStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "automatic") }
}

public struct PlainTextFieldStyle {
    public init() {}
}

extension PlainTextFieldStyle: TextFieldStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "plain") }
}

public struct RoundedBorderTextFieldStyle {
    public init() {}
}

extension RoundedBorderTextFieldStyle: TextFieldStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "roundedBorder") }
}

extension TextFieldStyle where Self == DefaultTextFieldStyle {
    public static var automatic: DefaultTextFieldStyle { DefaultTextFieldStyle() }
}

extension TextFieldStyle where Self == PlainTextFieldStyle {
    public static var plain: PlainTextFieldStyle { PlainTextFieldStyle() }
}

extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
    public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
}

extension View {
    nonisolated public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View {
        setting(\.textFieldRendering, S._rendering.name)
    }
}
