/// A modifier's effect on the context passed down and the elements passed up.
package protocol ViewChange {
    /// Applies to each member instead of the whole. In a group, branch or loop, SwiftUI lets each view appear, run
    /// tasks and observe changes separately, and a replaced branch starts over.
    static var isForMembers: Bool { get }
    @MainActor func prepare(_ context: inout RenderContext)
    @MainActor func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement]
}

extension ViewChange {
    package static var isForMembers: Bool { false }
    package func prepare(_ context: inout RenderContext) {}
    package func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] { elements }
}

package struct Modified<Content: View, Change: ViewChange> {
    let content: Content
    let change: Change
}

extension Modified: View, RenderedView, MemberView {
    package func render(in context: RenderContext) -> [ScreenElement] {
        var inner = context.child(.slot("modifier"))
        var members = inner.memberChanges
        inner.memberChanges = []
        if Change.isForMembers { members.append(change) } else { change.prepare(&inner) }
        var below = inner
        below.memberChanges = members
        return change.finish(below.elements(of: content), in: inner)
    }
}

extension View {
    nonisolated package func change<Change: ViewChange>(_ change: Change) -> Modified<Self, Change> {
        Modified(content: self, change: change)
    }

    nonisolated func each(_ change: @escaping @MainActor (ScreenElement) -> Void) -> Modified<Self, ElementChange> {
        self.change(ElementChange(change: change))
    }

    nonisolated func eachSubject(
        _ change: @escaping @MainActor (ScreenElement) -> Void
    ) -> Modified<Self, ElementChange> {
        self.change(ElementChange { change($0.subject) })
    }

    nonisolated func boxed(
        _ style: @escaping @MainActor (inout ElementStyle, EnvironmentValues) -> Void
    ) -> Modified<Self, BoxChange> {
        change(BoxChange(style: style))
    }

    nonisolated func setting<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> Modified<Self, EnvironmentChange<Value>> {
        change(EnvironmentChange(keyPath: keyPath, value: value))
    }
}

struct ElementChange: ViewChange {
    let change: @MainActor (ScreenElement) -> Void

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        for element in elements where !element.isPresentation { change(element) }
        return elements
    }
}

struct BoxChange: ViewChange {
    let style: @MainActor (inout ElementStyle, EnvironmentValues) -> Void

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        elements.map { element in
            guard !element.isPresentation else { return element }
            let box = ScreenElement(.box, "", [element])
            box.details["place"] = element.details["place"]
            style(&box.style, context.environment)
            return box
        }
    }
}

struct EnvironmentChange<Value>: ViewChange {
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let value: Value

    func prepare(_ context: inout RenderContext) { context.environment[keyPath: keyPath] = value }
}

@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Self.Content) -> Self.Body
}

public struct _ViewModifier_Content<Modifier: ViewModifier> {
    let view: any View
}

extension _ViewModifier_Content: View, RenderedView, MemberView {
    package func render(in context: RenderContext) -> [ScreenElement] { context.elements(of: view) }
}

public struct ModifiedContent<Content, Modifier> {
    public var content: Content
    public var modifier: Modifier

    public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension ModifiedContent: View, RenderedView, MemberView where Content: View, Modifier: ViewModifier {
    package func render(in context: RenderContext) -> [ScreenElement] {
        let inner = context.child(.type(ObjectIdentifier(Modifier.self)))
        var linked = modifier
        inner.link(&linked)
        return inner.elements(of: linked.body(content: _ViewModifier_Content(view: content)))
    }
}

extension View {
    nonisolated public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
}
