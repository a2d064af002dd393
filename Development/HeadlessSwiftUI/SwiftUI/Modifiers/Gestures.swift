@MainActor @preconcurrency public protocol Gesture<Value> {
    associatedtype Value
    associatedtype Body: Gesture
    @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Gesture {
    public typealias Value = Never
}

public struct TapGesture: Sendable {
    public var count: Int

    public init(count: Int = 1) { self.count = count }
}

extension TapGesture: Gesture {
    public typealias Value = ()
    public var body: Never { bodiless(Self.self) }
}

public struct _EndedGesture<Content: Gesture> {
    let action: (Content.Value) -> Void
}

extension _EndedGesture: Gesture {
    public typealias Value = Content.Value
    public var body: Never { bodiless(Self.self) }
}

extension Gesture {
    @MainActor @preconcurrency public func onEnded(_ action: @escaping (Self.Value) -> Void) -> _EndedGesture<Self> {
        _EndedGesture(action: action)
    }
}

extension View {
    /// Taps only. The action also runs when the user taps a field or button inside the view.
    nonisolated public func simultaneousGesture<T: Gesture>(_ gesture: T) -> some View {
        change(SimultaneousTapChange { (gesture as? _EndedGesture<TapGesture>)?.action(()) })
    }
}

private struct SimultaneousTapChange: ViewChange {
    let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        guard context.environment.isEnabled else { return elements }
        for element in elements where !element.isPresentation { accompany(element) }
        return TapChange(action: action).finish(elements, in: context)
    }

    @MainActor private func accompany(_ element: ScreenElement) {
        if let tap = element.action {
            element.action = {
                tap()
                action()
            }
        }
        if let focus = element.field?.focus {
            element.field?.focus = { isFocused in
                focus(isFocused)
                if isFocused { action() }
            }
        }
        for child in element.children where !child.isPresentation { accompany(child) }
    }
}
