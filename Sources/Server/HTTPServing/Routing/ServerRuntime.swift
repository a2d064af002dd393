package import GatehouseWire
package import Hummingbird

/// Shared by all APIs of a server.
package struct ServerRuntime: Sendable {
    package let now: @Sendable () -> Instant
    /// Monotonic, with an arbitrary origin.
    package let uptime: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Unique: 8 to 64 of `[A-Za-z0-9_-]`.
    package let makeRequestID: @Sendable () -> String
    package let metrics: ServerMetrics
    package let requests: RequestLog
    /// nil without traces.
    package let tracer: Tracer?
    /// nil disables rate limits, as in `gatehouse dev`.
    package let limiter: RateLimiter?
    package let clientAddress: ClientAddressRule
    /// nil admits all callers.
    package let callers: LocalCallers?
    private let forwarding: ForwardingMonitor
    let bodies: BodyBudget
    private let timeLimits: TimeLimits
    /// Then 504.
    package let requestTimeLimit: Duration
    /// Maps errors that handlers throw; nil for unexpected ones.
    package let foreseen: @Sendable (any Error) -> Refusal?

    package init(
        now: @escaping @Sendable () -> Instant, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        makeRequestID: @escaping @Sendable () -> String, metrics: ServerMetrics,
        requests: RequestLog = RequestLog(), tracer: Tracer? = nil, limiter: RateLimiter?,
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
        self.tracer = tracer
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
    package func refusal(of error: any Error) -> Refusal {
        error as? Refusal ?? foreseen(error) ?? .unforeseen(error)
    }

    /// As ``TimeLimits/limited(to:_:)``.
    package func limited<Value: Sendable>(
        to limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await timeLimits.limited(to: limit, body)
    }

    /// For handlers that choose the bucket after reading the body.
    ///
    /// - Throws: As ``RateLimiter/require(_:key:at:)``.
    package func take(_ bucket: String, _ request: Request, _ context: ServerContext) async throws {
        guard let limiter else { return }
        forwarding.look(at: request.headers, context)
        guard let key = clientAddress.limitKey(peer: context.peerAddress, request.headers) else { return }
        try await limiter.require(bucket, key: key, at: now())
    }

    /// For an account or session, wherever it is used.
    ///
    /// - Throws: As ``RateLimiter/require(_:key:at:)``.
    package func take(_ bucket: String, of account: String) async throws {
        try await limiter?.require(bucket, key: account, at: now())
    }
}
