@MainActor @preconcurrency public protocol ToolbarContent {
    associatedtype Body: ToolbarContent
    @ToolbarContentBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: ToolbarContent {}

/// Toolbar content that the engine renders itself.
protocol RenderedToolbar {
    @MainActor func items(in context: RenderContext) -> [ScreenElement]
}

public struct ToolbarItemPlacement: Sendable {
    fileprivate let place: String

    public static let automatic = ToolbarItemPlacement(place: "trailing")
    public static let principal = ToolbarItemPlacement(place: "principal")
    public static let topBarLeading = ToolbarItemPlacement(place: "leading")
    public static let topBarTrailing = ToolbarItemPlacement(place: "trailing")
    public static let cancellationAction = ToolbarItemPlacement(place: "leading")
    public static let confirmationAction = ToolbarItemPlacement(place: "trailing")
    public static let primaryAction = ToolbarItemPlacement(place: "trailing")
    public static let bottomBar = ToolbarItemPlacement(place: "bottom")
    public static let keyboard = ToolbarItemPlacement(place: "keyboard")
}

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
    public var body: Never { bodiless(Self.self) }
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
    public var body: Never { bodiless(Self.self) }
    func items(in context: RenderContext) -> [ScreenElement] { context.toolbar(content, placement) }
}

extension RenderContext {
    fileprivate func toolbar(_ content: some View, _ placement: ToolbarItemPlacement) -> [ScreenElement] {
        var inner = self
        inner.environment.labelStyle = .iconOnly
        let items = inner.elements(of: content)
        for item in items where !item.isPresentation { item.details["place"] = placement.place }
        return items
    }
}

@resultBuilder public struct ToolbarContentBuilder {
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: ToolbarContent>(
        _ content: repeat each Content
    ) -> some ToolbarContent {
        var all: [any ToolbarContent] = []
        for item in repeat each content { all.append(item) }
        return ToolbarItems(all: all)
    }
    public static func buildIf<Content: ToolbarContent>(_ content: Content?) -> Content? { content }
}

extension Optional: ToolbarContent where Wrapped: ToolbarContent {
    public var body: Never { bodiless(Self.self) }
}

extension Optional: RenderedToolbar where Wrapped: ToolbarContent {
    func items(in context: RenderContext) -> [ScreenElement] { map { context.items(of: $0) } ?? [] }
}

private struct ToolbarItems {
    let all: [any ToolbarContent]
}

extension ToolbarItems: ToolbarContent, RenderedToolbar {
    var body: Never { bodiless(Self.self) }
    func items(in context: RenderContext) -> [ScreenElement] {
        all.enumerated().flatMap { context.child(.index($0)).items(of: $1) }
    }
}

extension RenderContext {
    fileprivate func items(of content: some ToolbarContent) -> [ScreenElement] {
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

public struct ToolbarPlacement: Sendable {
    public static var automatic: ToolbarPlacement { ToolbarPlacement() }
    public static var navigationBar: ToolbarPlacement { ToolbarPlacement() }
}

public struct NavigationBarItem: Sendable {
    public enum TitleDisplayMode: Hashable, Sendable {
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
