/// Stops requests after consecutive failures; a single request tests the server later.
struct CircuitBreaker: Sendable {
    private let threshold: Int
    private let pause: Duration
    private var failures = 0
    private var openUntil: Duration?
    private var isProbing = false
    private var lastFailure = AuthClientError.offline(.noAnswer("circuit"))

    init(threshold: Int, pause: Duration) {
        self.threshold = threshold
        self.pause = pause
    }

    /// The caller must report the outcome. Throws the last failure while open.
    mutating func enter(at uptime: Duration) throws(AuthClientError) {
        guard let openUntil else { return }
        guard uptime >= openUntil, !isProbing else { throw lastFailure }
        isProbing = true
    }

    mutating func succeeded() { (failures, openUntil, isProbing) = (0, nil, false) }

    mutating func failed(_ error: AuthClientError, at uptime: Duration) {
        failures += 1
        isProbing = false
        lastFailure = error
        if failures >= threshold { openUntil = uptime + pause }
    }

    /// The request revealed nothing about the server.
    mutating func abandoned() { isProbing = false }
}
