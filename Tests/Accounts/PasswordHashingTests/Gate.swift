import Dispatch
import Synchronization

/// Blocks every hashing thread that requests a salt until it opens.
final class Gate: Sendable {
    private let held = Mutex(0)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Including earlier ones.
    var arrivals: Int { held.withLock { $0 } }

    func pass() {
        held.withLock { $0 += 1 }
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }
}
