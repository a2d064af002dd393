public struct NavigationLink<Label: View, Destination: View> {
    private enum Target {
        case view(Destination)
        case value(AnyHashable?)
    }

    private let target: Target
    private let label: Label

    nonisolated public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        (target, self.label) = (.view(destination()), label())
    }
}

extension NavigationLink where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        (target, label) = (.view(destination()), Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {
        (target, label) = (.view(destination()), Text(title))
    }
}

extension NavigationLink where Destination == Never {
    nonisolated public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label) {
        (target, self.label) = (.value(value.map { AnyHashable($0) }), label())
    }

    nonisolated public init<P: Hashable>(_ titleKey: LocalizedStringKey, value: P?) where Label == Text {
        (target, label) = (.value(value.map { AnyHashable($0) }), Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public init<S: StringProtocol, P: Hashable>(_ title: S, value: P?) where Label == Text {
        (target, label) = (.value(value.map { AnyHashable($0) }), Text(title))
    }
}

extension NavigationLink: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let button = ScreenElement(.link)
        let style = context.environment.buttonStyle ?? LinkRendering()
        let pages = context.stack
        button.isEnabled = context.environment.isEnabled && pages != nil
        button.spoken.traits = [.isButton]
        switch target {
        case .value(let value):
            button.isEnabled = button.isEnabled && value != nil
            if let value { button.action = { pages?.push(value) } }
        case .view(let view):
            let id = AnyHashable(ObjectIdentifier(context.node))
            // An open page is updated with its link.
            if let page = pages?.linked.first(where: { $0.id == id }) {
                (page.view, page.environment) = (view, context.pageEnvironment)
            }
            let environment = context.pageEnvironment
            button.action = { [weak pages] in
                pages?.push(NavigationPages.Page(id, view, environment) { pages?.remove($0) })
            }
        }
        return button.holding(style.elements(ButtonParts(role: nil, label: label, action: {}), button, context))
    }
}

/// In a list a link looks like its label.
private struct LinkRendering: ButtonRendering {
    func elements(_ parts: ButtonParts, _ button: ScreenElement, _ context: RenderContext) -> [ScreenElement] {
        context.child(.slot("style")).elements(of: parts.label)
    }
}

extension RenderContext {
    fileprivate var pageEnvironment: EnvironmentValues {
        var environment = environment
        environment.leavePage()
        return environment
    }
}

extension View {
    nonisolated public func navigationDestination<D: Hashable, C: View>(
        for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        change(ValueDestination(destination: destination))
    }

    nonisolated public func navigationDestination<V: View>(
        isPresented: Binding<Bool>, @ViewBuilder destination: () -> V
    ) -> some View {
        change(BoundDestination(isPresented: isPresented, id: true, destination: destination()))
    }

    nonisolated public func navigationDestination<D: Hashable, C: View>(
        item: Binding<D?>, @ViewBuilder destination: @escaping (D) -> C
    ) -> some View {
        change(ItemDestination(item: item, destination: destination))
    }
}

private struct ValueDestination<Value: Hashable, Destination: View>: ViewChange {
    let destination: (Value) -> Destination

    func prepare(_ context: inout RenderContext) {
        let destination = destination
        context.stack?.destinations[ObjectIdentifier(Value.self)] = { value in
            (value.base as? Value).map { destination($0) }
        }
    }
}

private struct BoundDestination<ID: Hashable, Destination: View>: ViewChange {
    let isPresented: Binding<Bool>
    let id: ID
    let destination: Destination

    func prepare(_ context: inout RenderContext) {
        guard isPresented.wrappedValue else { return }
        let key = AnyHashable([AnyHashable(ObjectIdentifier(context.node)), AnyHashable(id)])
        let isPresented = isPresented
        context.stack?.bound.append(
            NavigationPages.Page(key, destination, context.pageEnvironment) { _ in isPresented.wrappedValue = false })
    }
}

private struct ItemDestination<Item: Hashable, Destination: View>: ViewChange {
    let item: Binding<Item?>
    let destination: (Item) -> Destination

    func prepare(_ context: inout RenderContext) {
        guard let value = item.wrappedValue else { return }
        let item = item
        let isPresented = Binding(
            BindingAccess {
                item.wrappedValue != nil
            } set: { isPresented, _ in
                if !isPresented { item.wrappedValue = nil }
            })
        BoundDestination(isPresented: isPresented, id: value, destination: destination(value)).prepare(&context)
    }
}
