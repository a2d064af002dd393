public struct NavigationStack<Data, Root: View> {
    private let root: Root
    private let path: Binding<[AnyHashable]>?
}

extension NavigationStack where Data == NavigationPath {
    nonisolated public init(@ViewBuilder root: () -> Root) { (self.root, path) = (root(), nil) }

    nonisolated public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) {
        (self.root, self.path) = (root(), path.values)
    }
}

extension NavigationStack {
    nonisolated public init(
        path: Binding<Data>, @ViewBuilder root: () -> Root
    ) where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {
        self.root = root()
        self.path = Binding(
            BindingAccess<[AnyHashable]> {
                path.wrappedValue.map { AnyHashable($0) }
            } set: { values, _ in
                path.wrappedValue = Data(values.compactMap { $0.base as? Data.Element })
            })
    }
}

public struct NavigationPath {
    fileprivate var values: [AnyHashable] = []

    public init() {}
    public var count: Int { values.count }
    public var isEmpty: Bool { values.isEmpty }
    public mutating func append<V: Hashable>(_ value: V) { values.append(AnyHashable(value)) }
    public mutating func removeLast(_ k: Int = 1) { values.removeLast(k) }
}

@MainActor final class NavigationPages {
    /// Pushed by a link or binding.
    @MainActor final class Page {
        let id: AnyHashable
        var view: any View
        var environment: EnvironmentValues
        private let pop: @MainActor (Page) -> Void

        init(
            _ id: AnyHashable, _ view: any View, _ environment: EnvironmentValues,
            pop: @escaping @MainActor (Page) -> Void
        ) {
            (self.id, self.view, self.environment, self.pop) = (id, view, environment, pop)
        }

        func leave() { pop(self) }
    }

    var linked: [Page] = []
    /// `navigationDestination(for:)` in this rendering.
    var destinations: [ObjectIdentifier: (AnyHashable) -> (any View)?] = [:]
    /// `navigationDestination(isPresented:)` and the like, in this rendering.
    var bound: [Page] = []
    /// Pushed by links, for a stack without a path.
    var values: [AnyHashable] = []
    var path: Binding<[AnyHashable]>?
    let signal: RenderSignal

    init(_ signal: RenderSignal) { self.signal = signal }

    var pushedValues: [AnyHashable] { path?.wrappedValue ?? values }

    func push(_ value: AnyHashable) { change(pushedValues + [value]) }

    func change(_ values: [AnyHashable]) {
        if let path { path.wrappedValue = values } else { self.values = values }
        signal.invalidate()
    }

    func push(_ page: Page) {
        linked.append(page)
        signal.invalidate()
    }

    func remove(_ page: Page) {
        linked.removeAll { $0 === page }
        signal.invalidate()
    }

    func destination(for value: AnyHashable) -> (any View)? {
        destinations[ObjectIdentifier(type(of: value.base))].flatMap { $0(value) }
    }
}

extension NavigationStack: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let pages = context.node.remembered("pages") { NavigationPages(context.host.signal) }
        (pages.path, pages.destinations, pages.bound) = (path, [:], [])
        let base = context.environment
        // Renders the root again if it turned out to be covered, because it is then not on top.
        let isCovered = context.node.remembered("isCovered") { Flag() }
        var shown = [render(root, .slot("root"), base, pages, context, isOnTop: !isCovered.isSet)]
        var index = 0
        while let page = page(at: index, pages, context) {
            let isLast = self.page(at: index + 1, pages, context) == nil
            var inner = render(page.view, .id(page.id), page.environment, pages, context, isOnTop: isLast) { inner in
                inner.environment.dismiss = DismissAction { page.leave() }
                inner.environment.isPresented = true
            }
            inner.pop = { page.leave() }
            shown.append(inner)
            index += 1
        }
        if isCovered.isSet != (index > 0) {
            isCovered.isSet = index > 0
            context.host.afterRendering.append { context.host.signal.invalidate() }
        }
        return bar(shown, context) + shown.flatMap { $0.elements.filter(\.isPresentation) }
    }

    /// Links first, then values, then bindings: the order in which a user can have pushed them.
    @MainActor private func page(
        at index: Int, _ pages: NavigationPages, _ context: RenderContext
    ) -> NavigationPages.Page? {
        let values = pages.pushedValues
        if values.indices.contains(index) {
            guard let view = pages.destination(for: values[index]) else {
                context.host.signal.complain("no navigationDestination for \(values[index].base)")
                return nil
            }
            let id = AnyHashable(Pushed(index: index, value: values[index]))
            return NavigationPages.Page(id, view, context.environment) { _ in
                pages.change(Array(values.prefix(index)))
            }
        }
        let rest = pages.linked + pages.bound
        return rest.indices.contains(index - values.count) ? rest[index - values.count] : nil
    }

    @MainActor private func render(
        _ view: any View, _ key: ViewNode.Key, _ environment: EnvironmentValues, _ pages: NavigationPages,
        _ context: RenderContext, isOnTop: Bool, _ change: (inout RenderContext) -> Void = { _ in }
    ) -> ShownPage {
        var inner = context.child(key)
        let parts = PageParts()
        (inner.environment, inner.stack, inner.page) = (environment, pages, parts)
        inner.isOnTop = context.isOnTop && isOnTop
        change(&inner)
        return ShownPage(parts: parts, elements: inner.elements(of: view))
    }

    @MainActor private func bar(_ shown: [ShownPage], _ context: RenderContext) -> [ScreenElement] {
        guard let top = shown.last else { return [] }
        let bar = ScreenElement(.bar)
        bar.details["title"] = top.parts.isInline ? "inline" : "large"
        bar.details["isHidden"] = top.parts.isBarHidden ? "true" : nil
        if let pop = top.pop, !top.parts.isBackHidden {
            let back = ScreenElement(.button, shown.dropLast().last?.parts.title ?? "")
            if back.text.isEmpty { back.text = SystemTexts.back.text(in: context.environment.locale) }
            (back.details["back"], back.action) = ("true", pop)
            back.spoken.traits = [.isButton]
            back.spoken.identifier = "BackButton"
            bar.children.append(back)
        }
        bar.children += top.parts.items.filter { $0.details["place"] == "leading" }
        if let principal = top.parts.items.first(where: { $0.details["place"] == "principal" }) {
            bar.children.append(principal)
        } else if !top.parts.title.isEmpty {
            let title = ScreenElement(.text, top.parts.title)
            title.details["isTitle"] = "true"
            title.spoken.traits = [.isHeader]
            bar.children.append(title)
        }
        bar.children += top.parts.items.filter { $0.details["place"] == "trailing" }
        let page = ScreenElement(.page, "", top.elements.filter { !$0.isPresentation })
        let bottom = top.parts.items.filter { ["bottom", "keyboard"].contains($0.details["place"]) }
        return [ScreenElement(.navigation, "", [bar] + top.parts.search + [page] + bottom)]
    }
}

private struct Pushed: Hashable {
    let index: Int
    let value: AnyHashable
}

@MainActor private final class Flag {
    var isSet = false
}

@MainActor private struct ShownPage {
    let parts: PageParts
    let elements: [ScreenElement]
    var pop: (@MainActor () -> Void)?
}

@MainActor final class PageParts {
    var title = ""
    var isInline = false
    var isBackHidden = false
    var isBarHidden = false
    var items: [ScreenElement] = []
    var search: [ScreenElement] = []
}

extension Binding where Value == NavigationPath {
    fileprivate var values: Binding<[AnyHashable]> {
        let path = self
        return Binding<[AnyHashable]>(
            BindingAccess<[AnyHashable]> {
                path.wrappedValue.values
            } set: { values, _ in
                var changed = NavigationPath()
                changed.values = values
                path.wrappedValue = changed
            })
    }
}
