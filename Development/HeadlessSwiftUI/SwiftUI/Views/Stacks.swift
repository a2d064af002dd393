public struct VStack<Content: View> {
    private let alignment: HorizontalAlignment
    private let spacing: CGFloat?
    private let content: Content

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        (self.alignment, self.spacing, self.content) = (alignment, spacing, content())
    }
}

extension VStack: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        context.container(.vstack, content, Alignment(horizontal: alignment, vertical: .center), spacing)
    }
}

public struct HStack<Content: View> {
    private let alignment: VerticalAlignment
    private let spacing: CGFloat?
    private let content: Content

    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        (self.alignment, self.spacing, self.content) = (alignment, spacing, content())
    }
}

extension HStack: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        context.container(.hstack, content, Alignment(horizontal: .center, vertical: alignment), spacing)
    }
}

public struct ZStack<Content: View> {
    private let alignment: Alignment
    private let content: Content

    public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        (self.alignment, self.content) = (alignment, content())
    }
}

extension ZStack: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        context.container(.zstack, content, alignment, nil)
    }
}

public struct LazyVStack<Content: View> {
    private let stack: VStack<Content>

    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {
        stack = VStack(alignment: alignment, spacing: spacing, content: content)
    }
}

extension LazyVStack: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: stack) }
}

public struct ScrollView<Content: View> {
    public var content: Content
    public var axes: Axis.Set
    public var showsIndicators: Bool

    public init(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content
    ) {
        (self.axes, self.showsIndicators, self.content) = (axes, showsIndicators, content())
    }
}

extension ScrollView: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let scroll = context.scrolling(.scroll)
        scroll.details["axes"] = axes.contains(.horizontal) ? "horizontal" : "vertical"
        return scroll.holding(context.elements(of: content))
    }
}

public struct Spacer {
    public var minLength: CGFloat?
    public init(minLength: CGFloat? = nil) { self.minLength = minLength }
}

extension Spacer: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { [ScreenElement(.spacer)] }
}

public struct Divider {
    public init() {}
}

extension Divider: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] { [ScreenElement(.divider)] }
}

/// Nothing is measured here: shows the last view at accessibility text sizes, otherwise the first.
public struct ViewThatFits<Content: View> {
    private let content: Content

    public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension ViewThatFits: View, RenderedView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let views = (content as? any ViewList)?.views ?? [content]
        let chosen = context.environment.dynamicTypeSize.isAccessibilitySize ? views.count - 1 : 0
        return views.isEmpty ? [] : context.child(.index(chosen)).elements(of: views[chosen])
    }
}

extension RenderContext {
    fileprivate func container(
        _ kind: ScreenElement.Kind, _ content: some View, _ alignment: Alignment, _ spacing: CGFloat?
    ) -> [ScreenElement] {
        let container = ScreenElement(kind)
        (container.style.alignment, container.style.spacing) = (alignment, spacing)
        return container.holding(elements(of: content))
    }

    /// Dismisses the keyboard if its modifier asks for it.
    func scrolling(_ kind: ScreenElement.Kind) -> ScreenElement {
        let element = ScreenElement(kind)
        let mode = environment.dismissesKeyboard
        let hidesKeyboard = mode.name == "automatic" ? kind != .scroll : mode.name != "never"
        element.details["dismissesKeyboard"] = hidesKeyboard ? "true" : nil
        if let refresh = environment.refresh { element.reload = { await refresh() } }
        return element
    }
}

extension ScreenElement {
    /// Presentations stay siblings, because they cover the screen instead of the container.
    func holding(_ elements: [ScreenElement]) -> [ScreenElement] {
        children = elements.filter { !$0.isPresentation }
        return [self] + elements.filter(\.isPresentation)
    }
}
