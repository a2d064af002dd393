public struct Toggle<Label: View> {
    private let isOn: Binding<Bool>
    private let label: Label

    nonisolated public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        (self.isOn, self.label) = (isOn, label())
    }
}

extension Toggle where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        (self.isOn, label) = (isOn, Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {
        (self.isOn, label) = (isOn, Text(title))
    }
}

extension Toggle: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.toggle)
        let isOn = isOn
        element.isEnabled = context.environment.isEnabled
        element.details["isOn"] = "\(isOn.wrappedValue)"
        element.spoken.traits = [.isToggle]
        element.action = { isOn.wrappedValue.toggle() }
        return element.holding(context.elements(of: label))
    }
}

/// Shows all options in any style. The driver selects one by its text.
public struct Picker<Label: View, SelectionValue: Hashable, Content: View> {
    private let selection: Binding<SelectionValue>
    private let content: Content
    private let label: Label

    nonisolated public init(
        selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
    ) {
        (self.selection, self.content, self.label) = (selection, content(), label())
    }
}

extension Picker where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        (self.selection, self.content, label) = (selection, content(), Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
    ) {
        (self.selection, self.content, label) = (selection, content(), Text(title))
    }
}

extension Picker: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let picker = ScreenElement(.picker)
        picker.details["style"] = context.environment.pickerRendering
        picker.isEnabled = context.environment.isEnabled
        let name = context.child(.slot("label")).elements(of: label).map(\.name).joined(separator: ", ")
        picker.spoken.label = name
        let selection = selection
        picker.children = context.child(.slot("content")).elements(of: content).map { option in
            let button = ScreenElement(.button, "", [option])
            button.isEnabled = picker.isEnabled
            button.spoken.traits = [.isButton]
            button.details["isOption"] = "true"
            if let value = option.subject.tag?.base as? SelectionValue {
                if value == selection.wrappedValue { button.spoken.traits.formUnion(.isSelected) }
                button.action = { selection.wrappedValue = value }
            }
            return button
        }
        return [picker]
    }
}

extension View {
    nonisolated public func tag<V: Hashable>(_ tag: V, includeOptional: Bool = true) -> some View {
        change(TagChange(tag: tag))
    }

    nonisolated public func pickerStyle<S: PickerStyle>(_ style: S) -> some View {
        setting(\.pickerRendering, S._rendering.name)
    }
}

private struct TagChange<Value: Hashable>: ViewChange {
    let tag: Value

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        for element in elements { element.subject.tag = AnyHashable(tag) }
        return elements
    }
}

@MainActor @preconcurrency public protocol PickerStyle {
    nonisolated static var _rendering: _SystemRendering { get }
}

public struct DefaultPickerStyle {
    public init() {}
}

extension DefaultPickerStyle: PickerStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "inline") }
}

public struct SegmentedPickerStyle {
    public init() {}
}

extension SegmentedPickerStyle: PickerStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "segmented") }
}

public struct InlinePickerStyle {
    public init() {}
}

extension InlinePickerStyle: PickerStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "inline") }
}

public struct MenuPickerStyle {
    public init() {}
}

extension MenuPickerStyle: PickerStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "inline") }
}

extension PickerStyle where Self == DefaultPickerStyle {
    public static var automatic: DefaultPickerStyle { DefaultPickerStyle() }
}

extension PickerStyle where Self == SegmentedPickerStyle {
    public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}

extension PickerStyle where Self == InlinePickerStyle {
    public static var inline: InlinePickerStyle { InlinePickerStyle() }
}

extension PickerStyle where Self == MenuPickerStyle {
    public static var menu: MenuPickerStyle { MenuPickerStyle() }
}

@MainActor @preconcurrency public protocol ListStyle {
    nonisolated static var _rendering: _SystemRendering { get }
}

public struct InsetGroupedListStyle {
    public init() {}
}

extension InsetGroupedListStyle: ListStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "insetGrouped") }
}

public struct PlainListStyle {
    public init() {}
}

extension PlainListStyle: ListStyle {
    nonisolated public static var _rendering: _SystemRendering { _SystemRendering(name: "plain") }
}

extension ListStyle where Self == InsetGroupedListStyle {
    public static var insetGrouped: InsetGroupedListStyle { InsetGroupedListStyle() }
}

extension ListStyle where Self == PlainListStyle {
    public static var plain: PlainListStyle { PlainListStyle() }
}

extension View {
    nonisolated public func listStyle<S: ListStyle>(_ style: S) -> some View {
        setting(\.listRendering, S._rendering.name)
    }
}
