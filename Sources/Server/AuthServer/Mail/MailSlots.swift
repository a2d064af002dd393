import AccountDomain
import GatehouseWire
import Synchronization

/// A lane without a mail in progress gets the next free slot, so no lane waits for another's queue.
final class MailSlots: Sendable {
    private struct State {
        var running: [MailLane: Int] = [:]
        /// Oldest first.
        var waiting: [MailLane] = []

        mutating func hasRoom(_ lane: MailLane, of capacity: Int) -> Bool {
            let earlier = waiting.prefix { $0 != lane }.count { running[$0, default: 0] == 0 }
            // The last slot is for a lane that has none.
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

    /// If false, the lane waits, and ``leave(_:)`` names it.
    func hasRoom(_ lane: MailLane) -> Bool { state.withLock { $0.hasRoom(lane, of: capacity) } }

    /// Like ``hasRoom(_:)``, and takes the slot.
    func enter(_ lane: MailLane) -> Bool {
        state.withLock { state in
            guard state.hasRoom(lane, of: capacity) else { return false }
            state.running[lane, default: 0] += 1
            return true
        }
    }

    func leave(_ lane: MailLane) -> [MailLane] {
        state.withLock { state in
            state.running[lane, default: 0] -= 1
            return state.waiting
        }
    }
}
