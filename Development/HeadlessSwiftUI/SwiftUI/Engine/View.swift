// More than Apple re-exports: on Linux `CGFloat` is Foundation's. ScreenImportTests makes the screens import it.
@_exported public import Foundation
@_exported public import Observation
@_exported public import StringCatalogs

// The parts of SwiftUI that the screens use. All public declarations are Apple's; the driver's interface is `package`.
// There is no layout, no animation, and no gesture except the tap.

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { bodiless(Self.self) }
}

/// Rendered by the engine instead of composed through `body`.
package protocol RenderedView: View where Body == Never {
    @MainActor func render(in context: RenderContext) -> [ScreenElement]
}

extension RenderedView {
    @MainActor @preconcurrency public var body: Never { bodiless(Self.self) }
}

/// A ``ViewChange`` for members is passed down to them.
package protocol MemberView: RenderedView {}

/// The `body` of a ``RenderedView``; only a bug of the engine accesses it.
package func bodiless<Value>(_ type: Value.Type = Value.self) -> Never {
    preconditionFailure("\(type) has no body")
}

extension RenderContext {
    package func elements(of view: some View) -> [ScreenElement] {
        if let view = view as? any RenderedView {
            return node.naming(view.render(in: view is any MemberView ? self : asMember()))
        }
        let inner = child(.type(ObjectIdentifier(type(of: view))))
        var linked = view
        inner.link(&linked)
        host.countBody()
        return inner.elements(of: linked.body)
    }

    private func asMember() -> RenderContext {
        for (index, change) in memberChanges.enumerated() {
            var place = child(.slot("member \(index)"))
            change.prepare(&place)
        }
        var inner = self
        inner.memberChanges = []
        return inner
    }
}

public struct EmptyView {
    public init() {}
}

extension EmptyView: View, RenderedView, MemberView {
    package func render(in context: RenderContext) -> [ScreenElement] { [] }
}

public struct AnyView {
    private let view: any View

    public init<V: View>(_ view: V) { self.view = view }
    public init<V: View>(erasing view: V) { self.view = view }
}

@available(*, unavailable) extension AnyView: Sendable {}

extension AnyView: View, RenderedView, MemberView {
    // The type is part of a view's identity: a different view in the same place starts over.
    package func render(in context: RenderContext) -> [ScreenElement] {
        context.child(.type(ObjectIdentifier(type(of: view)))).elements(of: view)
    }
}

public struct Group<Content> {
    private let content: Content
}

extension Group: View, RenderedView, MemberView where Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: content) }
}

public struct TupleView<T> {
    public var value: T
    let views: [any View]

    public init(_ value: T) {
        self.value = value
        views = Mirror(reflecting: value).children.compactMap { $0.value as? any View }
    }

    init(_ value: T, _ views: [any View]) {
        self.value = value
        self.views = views
    }
}

protocol ViewList {
    var views: [any View] { get }
}

extension TupleView: View, RenderedView, MemberView, ViewList {
    package func render(in context: RenderContext) -> [ScreenElement] {
        views.enumerated().flatMap { context.child(.index($0)).elements(of: $1) }
    }
}

public struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case trueContent(TrueContent)
        case falseContent(FalseContent)
    }

    let storage: Storage
}

extension _ConditionalContent: View, RenderedView, MemberView where TrueContent: View, FalseContent: View {
    package func render(in context: RenderContext) -> [ScreenElement] {
        switch storage {
        case .trueContent(let view): context.child(.index(0)).elements(of: view)
        case .falseContent(let view): context.child(.index(1)).elements(of: view)
        }
    }
}

extension Optional: View where Wrapped: View {}

extension Optional: RenderedView, MemberView where Wrapped: View {
    package func render(in context: RenderContext) -> [ScreenElement] {
        map { context.child(.index(0)).elements(of: $0) } ?? []
    }
}
