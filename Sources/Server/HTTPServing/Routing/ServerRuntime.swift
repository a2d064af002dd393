package import GatehouseWire
package import Hummingbird

/// What all APIs of a server share: clocks, limits and metrics. Created once at startup.
package struct ServerRuntime: Sendable {
    package let now: @Sendable () -> Instant
    /// A monotonic clock with an arbitrary origin.
    package let uptime: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Returns a unique id: 8 to 64 characters of `[A-Za-z0-9_-]`.
    package let makeRequestID: @Sendable () -> String
    package let metrics: ServerMetrics
    /// The newest requests.
    package let requests: RequestLog
    /// nil disables rate limits, as in `gatehouse dev`.
    package let limiter: RateLimiter?
    package let clientAddress: ClientAddressRule
    /// nil admits all callers.
    package let callers: LocalCallers?
    private let forwarding: ForwardingMonitor
    let bodies: BodyBudget
    private let timeLimits: TimeLimits
    /// After this time a request is answered with 504.
    package let requestTimeLimit: Duration
    /// Maps errors that handlers do not handle themselves; nil for unexpected errors.
    package let foreseen: @Sendable (any Error) -> Refusal?

    package init(
        now: @escaping @Sendable () -> Instant, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        makeRequestID: @escaping @Sendable () -> String, metrics: ServerMetrics,
        requests: RequestLog = RequestLog(), limiter: RateLimiter?,
        clientAddress: ClientAddressRule, callers: LocalCallers? = nil, bodies: BodyBudget = BodyBudget(),
        requestTimeLimit: Duration = .seconds(10),
        foreseen: @escaping @Sendable (any Error) -> Refusal? = { _ in nil }
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.makeRequestID = makeRequestID
        self.metrics = metrics
        self.requests = requests
        self.limiter = limiter
        self.clientAddress = clientAddress
        self.callers = callers
        forwarding = ForwardingMonitor(clientAddress, metrics)
        self.bodies = bodies
        timeLimits = TimeLimits(uptime: uptime, sleep: sleep)
        self.requestTimeLimit = requestTimeLimit
        self.foreseen = foreseen
    }
}

extension ServerRuntime {
    /// The refusal that reports an error to the client.
    package func refusal(of error: any Error) -> Refusal {
        error as? Refusal ?? foreseen(error) ?? .unforeseen(error)
    }

    /// Runs `body` within a time limit. Costs a task, but no timer.
    ///
    /// A result that arrives after the limit is still returned, because committed work must not be reported as failed.
    ///
    /// - Throws: ``Refusal/timeout`` if `body` stopped because of the limit, otherwise the errors of `body`.
    package func limited<Value: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await timeLimits.limited(to: limit, body)
    }

    /// Takes a token for the request's client, for handlers that choose the bucket after reading the body.
    ///
    /// - Throws: As ``RateLimiter/require(_:key:at:)``.
    package func take(_ bucket: String, _ request: Request, _ context: ServerContext) async throws {
        guard let limiter else { return }
        forwarding.look(at: request.headers, context)
        guard let key = clientAddress.limitKey(peer: context.peerAddress, request.headers) else { return }
        try await limiter.require(bucket, key: key, at: now())
    }

    /// Takes a token for an account or a session, from wherever it is used.
    ///
    /// - Throws: As ``RateLimiter/require(_:key:at:)``.
    package func take(_ bucket: String, of account: String) async throws {
        try await limiter?.require(bucket, key: account, at: now())
    }
}
