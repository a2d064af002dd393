@resultBuilder public struct ToolbarContentBuilder {
    public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> Content { content }
    public static func buildIf<Content: ToolbarContent>(_ content: Content?) -> Content? { content }
}

// Two to ten items, as in SwiftUI: a parameter pack would accept more.
extension ToolbarContentBuilder {
    public static func buildBlock(_ a: some ToolbarContent, _ b: some ToolbarContent) -> some ToolbarContent {
        ToolbarItems(all: [a, b])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent, _ f: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e, f])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent, _ f: some ToolbarContent, _ g: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e, f, g])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent, _ f: some ToolbarContent, _ g: some ToolbarContent, _ h: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e, f, g, h])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent, _ f: some ToolbarContent, _ g: some ToolbarContent, _ h: some ToolbarContent,
        _ i: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e, f, g, h, i])
    }

    public static func buildBlock(
        _ a: some ToolbarContent, _ b: some ToolbarContent, _ c: some ToolbarContent, _ d: some ToolbarContent,
        _ e: some ToolbarContent, _ f: some ToolbarContent, _ g: some ToolbarContent, _ h: some ToolbarContent,
        _ i: some ToolbarContent, _ j: some ToolbarContent
    ) -> some ToolbarContent {
        ToolbarItems(all: [a, b, c, d, e, f, g, h, i, j])
    }
}

extension Optional: ToolbarContent where Wrapped: ToolbarContent {}

extension Optional: RenderedToolbar where Wrapped: ToolbarContent {
    func items(in context: RenderContext) -> [ScreenElement] { map { context.items(of: $0) } ?? [] }
}

private struct ToolbarItems {
    let all: [any ToolbarContent]
}

extension ToolbarItems: ToolbarContent, RenderedToolbar {
    func items(in context: RenderContext) -> [ScreenElement] {
        all.enumerated().flatMap { context.child(.index($0)).items(of: $1) }
    }
}
