/// A property's storage. It belongs to the main actor; the accessors of SwiftUI's property wrappers are not isolated,
/// so the compiler cannot verify it.
final class Location<Value>: @unchecked Sendable {
    private var stored: Value
    private let signal: RenderSignal

    init(_ value: Value, _ signal: RenderSignal) {
        stored = value
        self.signal = signal
    }

    var value: Value {
        get { stored }
        set {
            stored = newValue
            signal.stateChanged()
        }
    }
}

/// A binding's closures. Unchecked for the same reason as ``Location``.
final class BindingAccess<Value>: @unchecked Sendable {
    let get: () -> Value
    let set: (Value, Transaction) -> Void

    init(get: @escaping () -> Value, set: @escaping (Value, Transaction) -> Void) {
        self.get = get
        self.set = set
    }
}

/// The action of `task`. A stored property cannot keep the guarantee of its `sending` parameter.
struct TaskAction: @unchecked Sendable {
    private let action: @isolated(any) () async -> Void

    init(_ action: @escaping @isolated(any) () async -> Void) { self.action = action }
    func run() async { await action() }
}
