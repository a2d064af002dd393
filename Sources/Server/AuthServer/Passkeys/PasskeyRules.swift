import AccountDomain
import GatehouseWire
import Synchronization

package struct PasskeyRules: Sendable {
    /// Per user.
    package var maximum = 10
    package var challengeLifetime: Duration = .seconds(300)
    package var allowsSignUp = false
    /// If the device verified its user (NIST SP 800-63B-4 §2.2).
    package var countsAsTwoFactors = false

    package init() {}
}

/// Each challenge gets one response at this node. The database remembers right responses for all nodes.
final class AnsweredChallenges: Sendable {
    private struct State {
        var ids: Set<PasskeyChallengeID> = []
        /// Oldest first.
        var order: [(id: PasskeyChallengeID, until: Instant)] = []
        var start = 0
    }

    private static let capacity = 100_000
    private let state = Mutex(State())

    /// - Parameter until: When the challenge may be forgotten.
    /// - Returns: false if it was taken before.
    func take(_ id: PasskeyChallengeID, until: Instant, at now: Instant) -> Bool {
        state.withLock { state in
            while state.start < state.order.count,
                state.order[state.start].until <= now || state.order.count - state.start >= Self.capacity
            {
                state.ids.remove(state.order[state.start].id)
                state.start += 1
            }
            if state.start > state.order.count / 2 {
                state.order.removeFirst(state.start)
                state.start = 0
            }
            guard state.ids.insert(id).inserted else { return false }
            state.order.append((id, until))
            return true
        }
    }

    /// For a response that could not be decided.
    func giveBack(_ id: PasskeyChallengeID) { _ = state.withLock { $0.ids.remove(id) } }
}
