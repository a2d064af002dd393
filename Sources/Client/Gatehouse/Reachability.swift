/// The system's knowledge of whether the device has a network connection.
///
/// A hint: every call is tried. If one fails while the system knows of no connection, the error is
/// ``OfflineCause/noConnection``, without a retry. Screens load again when there is a connection. An app passes
/// ``SystemDefaults/reachability()``; a test passes closures:
///
/// ```swift
/// let offline = Reachability(isOffline: { true }, changes: { AsyncStream { $0.yield(true) } })
/// ```
public struct Reachability: Sendable {
    /// Whether the system reports that there is no connection. false if it reports nothing.
    public var isOffline: @Sendable () -> Bool
    /// Returns a stream of ``isOffline``: the current value first, then each change. A slow listener gets the newest
    /// value only. The stream ends immediately if the system does not know.
    public var changes: @Sendable () -> AsyncStream<Bool>

    /// Creates a value from both closures, which must agree.
    public init(
        isOffline: @escaping @Sendable () -> Bool, changes: @escaping @Sendable () -> AsyncStream<Bool>
    ) {
        self.isOffline = isOffline
        self.changes = changes
    }

    /// The system does not know, as on Linux: every call is tried.
    public static let unknown = Reachability(isOffline: { false }, changes: { AsyncStream { $0.finish() } })
}

/// A connection whose state the system or a test reports.
package final class KnownConnection: Sendable {
    private struct State {
        var isOffline: Bool
        var listeners: [Int: AsyncStream<Bool>.Continuation] = [:]
        var count = 0
    }

    private let state: Locked<State>

    /// Creates a connection without listeners.
    package init(isOffline: Bool = false) { state = Locked(State(isOffline: isOffline)) }

    deinit {
        let listeners = state.withLock { $0.listeners.values.map { $0 } }
        for listener in listeners { listener.finish() }
    }

    /// Tells all listeners, unless nothing changed.
    package func set(isOffline: Bool) {
        let listeners: [AsyncStream<Bool>.Continuation] = state.withLock { state in
            guard state.isOffline != isOffline else { return [] }
            state.isOffline = isOffline
            return state.listeners.values.map { $0 }
        }
        for listener in listeners { listener.yield(isOffline) }
    }

    /// Keeps the connection alive.
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
