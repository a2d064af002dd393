import GatehouseWire

/// How many jobs wait and run, and whether one more may join them.
package struct HashingLoad: Sendable {
    private let threads: Int
    private let capacity: Int
    private var running = 0
    /// Smoothed over about eight jobs. It starts a little above what Argon2id at ``Argon2Settings/owasp`` takes
    /// (34 ms on one core of the machine where it was measured).
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

    /// What those are told for whom there is no room.
    var busy: HashingRefusal { .busy(retryAfter: retryAfter) }

    package mutating func leave() { waiting -= 1 }

    package mutating func start() {
        waiting -= 1
        running += 1
    }

    /// Nothing was computed.
    mutating func stop() { running -= 1 }

    package mutating func finish(after duration: Duration) {
        running -= 1
        usualDuration = (usualDuration * 7 + duration) / 8
    }

    /// The time in which those who wait now are likely to be served, rounded up to whole seconds because
    /// `Retry-After` counts in seconds (RFC 9110 §10.2.3); at least one.
    private var retryAfter: Duration {
        let wait = usualDuration * waiting / threads
        let seconds = wait.components.attoseconds > 0 ? wait.components.seconds + 1 : wait.components.seconds
        return .seconds(max(1, seconds))
    }
}
