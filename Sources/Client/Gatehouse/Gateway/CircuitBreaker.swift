/// A circuit breaker: after a number of consecutive failures, no request is sent for a while. Then a single request
/// tests whether the server has recovered.
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

    /// Asks for permission to send a request. The caller must report its outcome.
    ///
    /// - Throws: The failure that opened the circuit, while it is open.
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

    /// The request ended without information about the server.
    mutating func abandoned() { isProbing = false }
}
