extension View {
    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View {
        boxed { style, _ in
            (style.width.fixed, style.height.fixed, style.alignment) = (width, height, alignment)
        }
    }

    nonisolated public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View {
        boxed { style, _ in
            style.width = ElementStyle.Limits(minimum: minWidth, maximum: maxWidth)
            style.height = ElementStyle.Limits(minimum: minHeight, maximum: maxHeight)
            style.alignment = alignment
        }
    }

    nonisolated public func padding(_ insets: EdgeInsets) -> some View { boxed { style, _ in style.padding = insets } }

    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        boxed { style, _ in
            let length = length ?? 16
            style.padding = EdgeInsets(
                top: edges.contains(.top) ? length : 0, leading: edges.contains(.leading) ? length : 0,
                bottom: edges.contains(.bottom) ? length : 0, trailing: edges.contains(.trailing) ? length : 0)
        }
    }

    nonisolated public func padding(_ length: CGFloat) -> some View { padding(.all, length) }

    nonisolated public func fixedSize() -> some View { self }
    nonisolated public func fixedSize(horizontal: Bool, vertical: Bool) -> some View { self }
    nonisolated public func layoutPriority(_ value: Double) -> some View { self }
    nonisolated public func zIndex(_ value: Double) -> some View { self }
    nonisolated public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View { self }
    nonisolated public func scaledToFit() -> some View { self }
    nonisolated public func contentShape<S: Shape>(_ shape: S, eoFill: Bool = false) -> some View { self }

    nonisolated public func ignoresSafeArea(
        _ regions: SafeAreaRegions = .all, edges: Edge.Set = .all
    ) -> some View {
        each { $0.style.ignoresSafeArea = true }
    }

    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View {
        change(Layered(alignment: alignment, layer: content(), isBehind: false))
    }

    nonisolated public func background<V: View>(
        alignment: Alignment = .center, @ViewBuilder content: () -> V
    ) -> some View {
        change(Layered(alignment: alignment, layer: content(), isBehind: true))
    }

    nonisolated public func safeAreaInset<V: View>(
        edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
        @ViewBuilder content: () -> V
    ) -> some View {
        change(Inset(edge: edge, content: content()))
    }

    /// Draws only `Color.clear`: a row without a card.
    nonisolated public func listRowBackground<V: View>(_ view: V?) -> some View {
        let isClear = view as? Color == .clear
        return each { if isClear { $0.details["isClearRow"] = "" } }
    }

    nonisolated public func listRowInsets(_ insets: EdgeInsets?) -> some View { self }
    nonisolated public func listRowSeparator(_ visibility: Visibility, edges: VerticalEdge.Set = .all) -> some View {
        self
    }
}

extension VerticalEdge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }

        public static let top = VerticalEdge.Set(rawValue: 1)
        public static let bottom = VerticalEdge.Set(rawValue: 2)
        public static let all: VerticalEdge.Set = [.top, .bottom]
    }
}

public enum ContentMode: CaseIterable, Hashable, Sendable {
    case fit
    case fill
}

private struct Layered<Layer: View>: ViewChange {
    let alignment: Alignment
    let layer: Layer
    let isBehind: Bool

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        let added = context.child(.slot("layer")).elements(of: layer)
        guard added.contains(where: { !$0.isPresentation }) else { return elements + added }
        let base = ScreenElement(.box, "", elements.filter { !$0.isPresentation })
        let above = ScreenElement(.box, "", added.filter { !$0.isPresentation })
        above.style.alignment = alignment
        let overlay = ScreenElement(.overlay, "", [base, above])
        overlay.details["isBehind"] = isBehind ? "true" : nil
        overlay.details["place"] = base.children.first?.details["place"]
        return [overlay] + (elements + added).filter(\.isPresentation)
    }
}

private struct Inset<Content: View>: ViewChange {
    let edge: VerticalEdge
    let content: Content

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        let added = context.child(.slot("inset")).elements(of: content)
        let (base, inset) = (elements.filter { !$0.isPresentation }, added.filter { !$0.isPresentation })
        let stack = ScreenElement(.vstack, "", edge == .top ? inset + base : base + inset)
        (stack.style.spacing, stack.style.alignment) = (0, .center)
        return [stack] + (elements + added).filter(\.isPresentation)
    }
}
