package import GatehouseWire
import Synchronization

/// In total, and per IPv4 address or IPv6 /64.
package struct ConnectionLimits: Equatable, Sendable {
    package let total: Int
    package let perAddress: Int

    package init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
    }

    /// Reserves file descriptors for the database, the log and outgoing requests.
    ///
    /// - Parameter descriptors: `ulimit -n`.
    package init(descriptors: Int) {
        total = max(16, min(16_384, descriptors - descriptors / 8 - 64))
        // A single address cannot use all connections.
        perAddress = min(1_024, total / 2)
    }
}

/// Of one port.
package final class OpenConnections: Sendable {
    private struct State {
        var count = 0
        var bySubscriber: [UInt64: Int] = [:]
        var highest = 0
    }

    private let limits: ConnectionLimits
    private let isProxy: @Sendable (IPAddress) -> Bool
    private let state = Mutex(State())

    /// - Parameter isProxy: Exempts a trusted proxy, whose connections belong to many clients.
    package init(_ limits: ConnectionLimits, isProxy: @escaping @Sendable (IPAddress) -> Bool) {
        self.limits = limits
        self.isProxy = isProxy
    }

    package var count: Int { state.withLock(\.count) }

    /// The most open connections since the previous call.
    package func takeHighest() -> Int {
        state.withLock { state in
            defer { state.highest = state.count }
            return state.highest
        }
    }

    /// - Parameter peer: nil for a Unix socket.
    /// - Returns: false beyond the limits. Call ``close(_:)`` only after true.
    package func open(_ peer: IPAddress?) -> Bool {
        let subscriber = counted(peer)
        return state.withLock { state in
            guard state.count < limits.total else { return false }
            if let subscriber {
                guard state.bySubscriber[subscriber, default: 0] < limits.perAddress else { return false }
                state.bySubscriber[subscriber, default: 0] += 1
            }
            state.count += 1
            state.highest = max(state.highest, state.count)
            return true
        }
    }

    package func close(_ peer: IPAddress?) {
        let subscriber = counted(peer)
        state.withLock { state in
            state.count -= 1
            guard let subscriber, let count = state.bySubscriber[subscriber] else { return }
            state.bySubscriber[subscriber] = count > 1 ? count - 1 : nil
        }
    }

    private func counted(_ peer: IPAddress?) -> UInt64? {
        guard let peer, !isProxy(peer) else { return nil }
        return peer.subscriber
    }
}
