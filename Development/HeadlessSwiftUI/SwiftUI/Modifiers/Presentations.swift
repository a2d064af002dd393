extension View {
    nonisolated public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        change(Presented(kind: .sheet, item: isPresented.item, onDismiss: onDismiss) { (_: Shown) in content() })
    }

    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        change(Presented(kind: .sheet, item: item, onDismiss: onDismiss, content: content))
    }

    nonisolated public func fullScreenCover<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        change(Presented(kind: .cover, item: isPresented.item, onDismiss: onDismiss) { (_: Shown) in content() })
    }

    nonisolated public func fullScreenCover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        change(Presented(kind: .cover, item: item, onDismiss: onDismiss, content: content))
    }

    nonisolated public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
        change(RulesChange { if isDisabled { $0.staysOpen = true } })
    }

    nonisolated public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View {
        change(RulesChange { $0.detents = detents.map(\.name).sorted() })
    }

    nonisolated public func presentationDragIndicator(_ visibility: Visibility) -> some View { self }

    /// System sheets open over the app's sheets.
    nonisolated package func belowSystemSheets() -> some View { change(AppLayer()) }
}

public struct PresentationDetent: Hashable, Sendable {
    fileprivate let name: String

    public static let medium = PresentationDetent(name: "medium")
    public static let large = PresentationDetent(name: "large")
    public static func fraction(_ fraction: CGFloat) -> PresentationDetent {
        PresentationDetent(name: "fraction \(fraction)")
    }
    public static func height(_ height: CGFloat) -> PresentationDetent { PresentationDetent(name: "height \(height)") }
}

/// The item of a presentation without one.
struct Shown: Identifiable {
    var id: Bool { true }
}

extension Binding where Value == Bool {
    var item: Binding<Shown?> {
        let isShown = self
        return Binding<Shown?>(
            BindingAccess<Shown?> {
                isShown.wrappedValue ? Shown() : nil
            } set: { shown, _ in
                isShown.wrappedValue = shown != nil
            })
    }
}

private struct Presented<Item: Identifiable, Content: View>: ViewChange {
    let kind: ScreenElement.Kind
    let item: Binding<Item?>
    let onDismiss: (() -> Void)?
    let content: (Item) -> Content

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        let value = item.wrappedValue
        let (node, signal) = (context.node, context.host.signal)
        guard let value else {
            context.presenter.close(node, signal)
            let wasShown = node.memory.removeValue(forKey: "isShown") != nil
            if wasShown, let onDismiss { context.host.afterRendering.append { onDismiss() } }
            return elements
        }
        guard context.presenter.open(node, signal) else { return elements }
        node.memory["isShown"] = true
        let rules = PresentationRules()
        var inner = context.presented(kind.rawValue, rules).child(.id(AnyHashable(value.id)))
        inner.presentation = rules
        let close: @MainActor () -> Void = { item.wrappedValue = nil }
        inner.environment.dismiss = DismissAction(close)
        // A sheet is not part of the toolbar whose button presents it.
        inner.environment.labelStyle = TitleAndIconLabelStyle()
        let sheet = ScreenElement(kind, "", inner.elements(of: content(value)))
        sheet.details["detents"] = rules.detents.first
        if !rules.staysOpen, kind == .sheet { sheet.close = close }
        return elements + [sheet]
    }
}

private struct AppLayer: ViewChange {
    func prepare(_ context: inout RenderContext) {
        context.presenter = context.node.remembered("presenter") { Presenter() }
    }
}

private struct RulesChange: ViewChange {
    let change: @MainActor (PresentationRules) -> Void

    func prepare(_ context: inout RenderContext) {
        if let rules = context.presentation { change(rules) }
    }
}
