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
    /// Of all gestures only the end of a tap happens here. Controls below keep their taps.
    nonisolated public func simultaneousGesture<T: Gesture>(_ gesture: T) -> some View {
        change(TapChange(action: { (gesture as? _EndedGesture<TapGesture>)?.action(()) }))
    }
}
