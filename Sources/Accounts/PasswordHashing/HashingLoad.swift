import GatehouseWire

package struct HashingLoad: Sendable {
    private let threads: Int
    private let capacity: Int
    private var running = 0
    /// Smoothed over about eight jobs. Starts slightly above ``Argon2Settings/owasp``'s time.
    private var usualDuration: Duration = .milliseconds(50)

    package private(set) var waiting = 0

    package init(threads: Int, waitingPerThread: Int) {
        self.threads = threads
        capacity = threads * (1 + waitingPerThread)
    }

    /// - Throws: ``HashingRefusal/busy(retryAfter:)``; nothing was counted.
    package mutating func admit() throws(HashingRefusal) {
        guard running + waiting < capacity else { throw busy }
        waiting += 1
    }

    var busy: HashingRefusal { .busy(retryAfter: retryAfter) }

    /// A waiting job was cancelled.
    package mutating func leave() { waiting -= 1 }

    package mutating func start() {
        waiting -= 1
        running += 1
    }

    /// Without a computation.
    mutating func stop() { running -= 1 }

    package mutating func finish(after duration: Duration) {
        running -= 1
        usualDuration = (usualDuration * 7 + duration) / 8
    }

    /// For `Retry-After` (RFC 9110 §10.2.3): whole seconds, rounded up, at least one.
    private var retryAfter: Duration {
        let wait = usualDuration * waiting / threads
        let seconds = wait.components.attoseconds > 0 ? wait.components.seconds + 1 : wait.components.seconds
        return .seconds(max(1, seconds))
    }
}
