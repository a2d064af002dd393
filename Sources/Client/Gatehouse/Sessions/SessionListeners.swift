/// The streams of ``GatehouseClient/authStateChanges``. Each gets the initial session once.
struct SessionListeners: Sendable {
    private struct Listener {
        let continuation: AsyncStream<AuthChange>.Continuation
        var hasInitial = false
    }

    private var listeners: [Int: Listener] = [:]
    private var count = 0

    var isEmpty: Bool { listeners.isEmpty }
    /// Without the initial session.
    var newcomers: Set<Int> { Set(listeners.filter { !$0.value.hasInitial }.keys) }

    mutating func add(_ continuation: AsyncStream<AuthChange>.Continuation) -> Int {
        count += 1
        listeners[count] = Listener(continuation: continuation)
        return count
    }

    mutating func remove(_ id: Int) { listeners[id] = nil }

    mutating func sendInitial(_ session: AuthSession?) {
        let change = AuthChange(event: .initialSession, session: session)
        for (id, listener) in listeners where !listener.hasInitial {
            listener.continuation.yield(change)
            listeners[id]?.hasInitial = true
        }
    }

    func send(_ change: AuthChange, sparing spared: Set<Int>) {
        for (id, listener) in listeners where listener.hasInitial && !spared.contains(id) {
            listener.continuation.yield(change)
        }
    }

    func finish() {
        for listener in listeners.values { listener.continuation.finish() }
    }
}
