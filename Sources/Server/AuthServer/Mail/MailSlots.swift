import AccountDomain
import GatehouseWire
import Synchronization

/// The concurrent mails of all lanes, at most one per connection. A lane without a mail in progress gets the next free
/// place, so no lane waits for another's whole queue.
final class MailSlots: Sendable {
    private struct State {
        var running: [MailLane: Int] = [:]
        /// The lanes that found no place, the first one first.
        var waiting: [MailLane] = []

        mutating func hasRoom(_ lane: MailLane, of capacity: Int) -> Bool {
            let earlier = waiting.prefix { $0 != lane }.count { running[$0, default: 0] == 0 }
            // The last place is for a lane that has none.
            let kept = running[lane, default: 0] == 0 ? earlier : max(1, earlier)
            if running.values.reduce(0, +) + kept < capacity {
                waiting.removeAll { $0 == lane }
                return true
            }
            if !waiting.contains(lane) { waiting.append(lane) }
            return false
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Whether a mail of the lane may begin. If not, the lane waits, and ``leave(_:)`` names it.
    func hasRoom(_ lane: MailLane) -> Bool { state.withLock { $0.hasRoom(lane, of: capacity) } }

    /// Takes a place for a mail, as ``hasRoom(_:)``.
    func enter(_ lane: MailLane) -> Bool {
        state.withLock { state in
            guard state.hasRoom(lane, of: capacity) else { return false }
            state.running[lane, default: 0] += 1
            return true
        }
    }

    /// - Returns: The lanes that wait for a place.
    func leave(_ lane: MailLane) -> [MailLane] {
        state.withLock { state in
            state.running[lane, default: 0] -= 1
            return state.waiting
        }
    }
}
