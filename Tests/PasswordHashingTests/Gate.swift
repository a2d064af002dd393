import Dispatch
import Synchronization

/// Holds every hashing thread that asks for a salt until it is opened; afterwards nobody waits.
final class Gate: Sendable {
    private let held = Mutex(0)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Threads that stand at the gate, or have stood there.
    var arrivals: Int { held.withLock { $0 } }

    func pass() {
        held.withLock { $0 += 1 }
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}
