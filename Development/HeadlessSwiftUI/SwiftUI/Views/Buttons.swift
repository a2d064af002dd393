public struct Button<Label: View> {
    private let role: ButtonRole?
    private let action: @MainActor () -> Void
    private let label: Label

    nonisolated public init(
        action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {
        (role, self.action, self.label) = (nil, action, label())
    }

    nonisolated public init(
        role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
    ) {
        (self.role, self.action, self.label) = (role, action, label())
    }
}

extension Button where Label == Text {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void
    ) {
        (role, self.action, label) = (nil, action, Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, action: @escaping @MainActor () -> Void
    ) {
        (role, self.action, label) = (nil, action, Text(title))
    }

    nonisolated public init(
        _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        (self.role, self.action, label) = (role, action, Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
    ) {
        (self.role, self.action, label) = (role, action, Text(title))
    }
}

extension Button where Label == SwiftUI.Label<Text, Image> {
    nonisolated public init(
        _ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void
    ) {
        (role, self.action, label) = (nil, action, SwiftUI.Label(titleKey, systemImage: systemImage))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(
        _ title: S, systemImage: String, action: @escaping @MainActor () -> Void
    ) {
        (role, self.action, label) = (nil, action, SwiftUI.Label(title, systemImage: systemImage))
    }
}

extension Button where Label == PrimitiveButtonStyleConfiguration.Label {
    nonisolated public init(_ configuration: PrimitiveButtonStyleConfiguration) {
        role = configuration.role
        action = configuration.action
        label = configuration.label
    }
}

extension Button: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let element = ScreenElement(.button)
        (element.role, element.isEnabled, element.action) = (role, context.environment.isEnabled, action)
        element.spoken.traits = [.isButton]
        let style = context.environment.buttonStyle ?? DefaultButtonStyle()
        return element.holding(style.elements(ButtonParts(role: role, label: label, action: action), element, context))
    }
}

public struct Link<Label: View> {
    private let destination: URL
    private let label: Label

    nonisolated public init(destination: URL, @ViewBuilder label: () -> Label) {
        (self.destination, self.label) = (destination, label())
    }
}

extension Link where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, destination: URL) {
        (self.destination, label) = (destination, Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, destination: URL) {
        (self.destination, label) = (destination, Text(title))
    }
}

extension Link: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let (open, destination) = (context.environment.openURL, destination)
        let button = Button {
            open(destination)
        } label: {
            label
        }
        let elements = context.elements(of: button)
        for element in elements {
            element.spoken.traits = [.isLink]
            if ["http", "https"].contains(destination.scheme?.lowercased()) {
                element.details["href"] = destination.absoluteString
            }
        }
        return elements
    }
}

/// Always open: the driver finds the buttons below the label.
public struct Menu<Label: View, Content: View> {
    private let label: Label
    private let content: Content

    nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.content, self.label) = (content(), label())
    }
}

extension Menu where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        (self.content, label) = (content(), Text(titleKey))
    }
}

extension Menu: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let open = context.node.remembered("open") { Location(false, context.host.signal) }
        let button = Button {
            open.value.toggle()
        } label: {
            label
        }
        let items = open.value ? context.child(.slot("items")).elements(of: content) : []
        for item in items where item.action != nil {
            let action = item.action
            item.action = {
                open.value = false
                action?()
            }
        }
        let menu = ScreenElement(.menu)
        return menu.holding(context.child(.slot("label")).elements(of: button) + items)
    }
}
