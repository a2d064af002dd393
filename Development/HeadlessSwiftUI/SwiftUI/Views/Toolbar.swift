@MainActor @preconcurrency public protocol ToolbarContent {
    associatedtype Body: ToolbarContent
    @ToolbarContentBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: ToolbarContent {}

/// Rendered by the engine.
protocol RenderedToolbar: ToolbarContent where Body == Never {
    @MainActor func items(in context: RenderContext) -> [ScreenElement]
}

extension RenderedToolbar {
    @MainActor @preconcurrency public var body: Never { bodiless(Self.self) }
}

public struct ToolbarItemPlacement {
    fileprivate let place: String

    public static var automatic: ToolbarItemPlacement { ToolbarItemPlacement(place: "trailing") }
    public static var principal: ToolbarItemPlacement { ToolbarItemPlacement(place: "principal") }
    public static var topBarLeading: ToolbarItemPlacement { ToolbarItemPlacement(place: "leading") }
    public static var topBarTrailing: ToolbarItemPlacement { ToolbarItemPlacement(place: "trailing") }
    public static var cancellationAction: ToolbarItemPlacement { ToolbarItemPlacement(place: "leading") }
    public static var confirmationAction: ToolbarItemPlacement { ToolbarItemPlacement(place: "trailing") }
    public static var primaryAction: ToolbarItemPlacement { ToolbarItemPlacement(place: "trailing") }
    public static var bottomBar: ToolbarItemPlacement { ToolbarItemPlacement(place: "bottom") }
    public static var keyboard: ToolbarItemPlacement { ToolbarItemPlacement(place: "keyboard") }
}

@available(*, unavailable) extension ToolbarItemPlacement: Sendable {}

public struct ToolbarItem<ID, Content: View> {
    fileprivate let placement: ToolbarItemPlacement
    fileprivate let content: Content
}

extension ToolbarItem where ID == () {
    nonisolated public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        (self.placement, self.content) = (placement, content())
    }
}

extension ToolbarItem: ToolbarContent, RenderedToolbar {
    func items(in context: RenderContext) -> [ScreenElement] { context.toolbar(content, placement) }
}

public struct ToolbarItemGroup<Content: View> {
    fileprivate let placement: ToolbarItemPlacement
    fileprivate let content: Content

    nonisolated public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
        (self.placement, self.content) = (placement, content())
    }
}

extension ToolbarItemGroup: ToolbarContent, RenderedToolbar {
    func items(in context: RenderContext) -> [ScreenElement] { context.toolbar(content, placement) }
}

extension RenderContext {
    fileprivate func toolbar(_ content: some View, _ placement: ToolbarItemPlacement) -> [ScreenElement] {
        var inner = self
        inner.environment.labelStyle = IconOnlyLabelStyle()
        let items = inner.elements(of: content)
        for item in items where !item.isPresentation { item.details["place"] = placement.place }
        return items
    }
}

extension RenderContext {
    func items(of content: some ToolbarContent) -> [ScreenElement] {
        if let content = content as? any RenderedToolbar { return content.items(in: self) }
        let inner = child(.type(ObjectIdentifier(type(of: content))))
        var linked = content
        inner.link(&linked)
        return inner.items(of: linked.body)
    }
}

extension View {
    nonisolated public func toolbar<Content: ToolbarContent>(
        @ToolbarContentBuilder content: () -> Content
    ) -> some View {
        change(ToolbarChange(content: content()))
    }
}

extension View {
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        change(ToolbarChange(content: ToolbarItem(content: content)))
    }

    nonisolated public func navigationTitle(_ title: Text) -> some View {
        change(PageChange { $0.title = $1.text(title) })
    }

    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
        navigationTitle(Text(titleKey))
    }

    @_disfavoredOverload
    nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        navigationTitle(Text(title))
    }

    nonisolated public func navigationBarTitleDisplayMode(
        _ displayMode: NavigationBarItem.TitleDisplayMode
    ) -> some View {
        change(PageChange { parts, _ in parts.isInline = displayMode == .inline })
    }

    nonisolated public func navigationBarBackButtonHidden(_ hidesBackButton: Bool = true) -> some View {
        change(PageChange { parts, _ in parts.isBackHidden = hidesBackButton })
    }

    nonisolated public func toolbar(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View {
        change(PageChange { parts, _ in parts.isBarHidden = visibility == .hidden })
    }
}

public struct ToolbarPlacement {
    public static var automatic: ToolbarPlacement { ToolbarPlacement() }
    public static var navigationBar: ToolbarPlacement { ToolbarPlacement() }
}

@available(*, unavailable) extension ToolbarPlacement: Sendable {}

public struct NavigationBarItem: Sendable {
    @nonexhaustive public enum TitleDisplayMode: Hashable, Sendable {
        case automatic
        case inline
        case large
    }
}

private struct ToolbarChange<Content: ToolbarContent>: ViewChange {
    let content: Content

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        let items = context.child(.slot("toolbar")).items(of: content)
        context.page?.items += items.filter { !$0.isPresentation }
        return elements + items.filter(\.isPresentation)
    }
}

struct PageChange: ViewChange {
    let change: @MainActor (PageParts, RenderContext) -> Void

    func prepare(_ context: inout RenderContext) {
        if let page = context.page { change(page, context) }
    }
}
