public struct ProgressView<Label: View, CurrentValueLabel: View> {
    private let label: Label
    private let currentValueLabel: CurrentValueLabel
    private let fraction: Double?
}

extension ProgressView where CurrentValueLabel == EmptyView {
    nonisolated public init() where Label == EmptyView { self.init(EmptyView(), nil) }

    nonisolated public init(@ViewBuilder label: () -> Label) { self.init(label(), nil) }

    nonisolated public init(_ titleKey: LocalizedStringKey) where Label == Text { self.init(Text(titleKey), nil) }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S) where Label == Text { self.init(Text(title), nil) }

    nonisolated public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0) where Label == EmptyView {
        self.init(EmptyView(), value.map { Double($0 / total) })
    }

    nonisolated public init<V: BinaryFloatingPoint>(
        value: V?, total: V = 1.0, @ViewBuilder label: () -> Label
    ) {
        self.init(label(), value.map { Double($0 / total) })
    }

    nonisolated private init(_ label: Label, _ fraction: Double?) {
        (self.label, currentValueLabel, self.fraction) = (label, EmptyView(), fraction)
    }
}

extension ProgressView {
    nonisolated public init<V: BinaryFloatingPoint>(
        value: V?, total: V = 1.0, @ViewBuilder label: () -> Label,
        @ViewBuilder currentValueLabel: () -> CurrentValueLabel
    ) {
        (self.label, self.currentValueLabel) = (label(), currentValueLabel())
        fraction = value.map { Double($0 / total) }
    }
}

extension ProgressView: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let texts = context.elements(of: label) + context.child(.slot("value")).elements(of: currentValueLabel)
        let element = ScreenElement(.progress, "", texts)
        element.details["fraction"] = fraction.map { "\($0)" }
        element.details["working"] = SystemTexts.working.text(in: context.environment.locale)
        element.style = context.textStyle
        return [element]
    }
}
