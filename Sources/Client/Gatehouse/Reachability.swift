/// Whether the device has a network connection, as a hint.
///
/// Calls are always tried. One that fails without a connection throws ``OfflineCause/noConnection``, without retries.
/// Apps pass ``SystemDefaults/reachability()``; tests pass closures:
///
/// ```swift
/// let offline = Reachability(isOffline: { true }, changes: { AsyncStream { $0.yield(true) } })
/// ```
public struct Reachability: Sendable {
    /// Whether the system reports no connection; false if unknown.
    public var isOffline: @Sendable () -> Bool
    /// Streams ``isOffline``, first its current value. Slow listeners get only the newest. Ends immediately if unknown.
    public var changes: @Sendable () -> AsyncStream<Bool>

    /// Creates a value. The closures must agree.
    public init(
        isOffline: @escaping @Sendable () -> Bool, changes: @escaping @Sendable () -> AsyncStream<Bool>
    ) {
        self.isOffline = isOffline
        self.changes = changes
    }

    /// Unknown, as on Linux.
    public static let unknown = Reachability(isOffline: { false }, changes: { AsyncStream { $0.finish() } })
}

/// Set by the system or a test.
package final class KnownConnection: Sendable {
    private struct State {
        var isOffline: Bool
        var listeners: [Int: AsyncStream<Bool>.Continuation] = [:]
        var count = 0
    }

    private let state: Locked<State>

    package init(isOffline: Bool = false) { state = Locked(State(isOffline: isOffline)) }

    deinit {
        let listeners = state.withLock { $0.listeners.values.map { $0 } }
        for listener in listeners { listener.finish() }
    }

    package func set(isOffline: Bool) {
        let listeners: [AsyncStream<Bool>.Continuation] = state.withLock { state in
            guard state.isOffline != isOffline else { return [] }
            state.isOffline = isOffline
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.yield(isOffline) }
    }

    /// Retains the connection.
    package var reachability: Reachability {
        Reachability(isOffline: { self.state.withLock { $0.isOffline } }, changes: { self.changes() })
    }

    private func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.count += 1
            state.listeners[state.count] = continuation
            continuation.yield(state.isOffline)
            return state.count
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.listeners[id] = nil }
        }
        return stream
    }
}
