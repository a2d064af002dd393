package import GatehouseWire
package import Hummingbird

/// What every door stands on: the clocks, the limits, the counters. Made once, by the program.
package struct ServingFloor: Sendable {
    package let now: @Sendable () -> Instant
    /// A clock that never goes back; where it starts does not matter.
    package let uptime: @Sendable () -> Duration
    package let sleep: @Sendable (Duration) async throws -> Void
    /// 8 to 64 characters of `[A-Za-z0-9_-]`, never the same twice.
    package let makeRequestID: @Sendable () -> String
    package let metrics: ServerMetrics
    /// Nil: nothing is limited, as in `gatehouse dev`.
    package let limiter: RateLimiter?
    package let clientAddress: ClientAddressRule
    /// Nil: any caller may use the server.
    package let callers: LocalCallers?
    private let forwarding: ForwardingWatch
    let bodies: BodyBudget
    /// Contract 1.5: after this a request is answered with 504.
    package let requestTimeLimit: Duration
    /// What errors mean that no handler answers for itself; nil for those that nobody foresaw.
    package let foreseen: @Sendable (any Error) -> Refusal?

    package init(
        now: @escaping @Sendable () -> Instant, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        makeRequestID: @escaping @Sendable () -> String, metrics: ServerMetrics, limiter: RateLimiter?,
        clientAddress: ClientAddressRule, callers: LocalCallers? = nil, bodies: BodyBudget = BodyBudget(),
        requestTimeLimit: Duration = .seconds(10),
        foreseen: @escaping @Sendable (any Error) -> Refusal? = { _ in nil }
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.makeRequestID = makeRequestID
        self.metrics = metrics
        self.limiter = limiter
        self.clientAddress = clientAddress
        self.callers = callers
        forwarding = ForwardingWatch(clientAddress, metrics)
        self.bodies = bodies
        self.requestTimeLimit = requestTimeLimit
        self.foreseen = foreseen
    }
}

extension ServingFloor {
    /// What the caller is told of an error.
    package func refusal(of error: any Error) -> Refusal {
        error as? Refusal ?? foreseen(error) ?? .unforeseen(error)
    }

    /// Takes one request of this caller from a bucket, for handlers that have to look at the body first.
    ///
    /// - Throws: ``Refusal`` 429 when the bucket is dry.
    package func take(_ bucket: String, _ request: Request, _ context: ServerContext) async throws {
        guard let limiter else { return }
        forwarding.look(at: request.headers, context)
        guard let key = clientAddress.limitKey(peer: context.peerAddress, request.headers) else { return }
        try await limiter.require(bucket, key: key, at: now())
    }
}

/// One group of routes with one way to refuse.
package struct Door: Sendable {
    /// Where the routes are mounted, without a slash at the end: `["/auth/v1", ""]`. The longest that fits decides who answers an unknown path.
    package let prefixes: [String]
    package let format: RefusalFormat
    /// Nil: browsers of other origins are not helped.
    package let crossOrigin: CrossOriginPolicy?
    /// `cache-control` of every answer that has none of its own.
    package let cacheControl: String?
    /// Refuses a request on any path, before the path's own guard.
    let guardedBy: (@Sendable (Request) throws -> Void)?

    package init(
        prefixes: [String], format: RefusalFormat, crossOrigin: CrossOriginPolicy?, cacheControl: String? = nil,
        guardedBy: (@Sendable (Request) throws -> Void)? = nil
    ) {
        self.prefixes = prefixes.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        self.format = format
        self.crossOrigin = crossOrigin
        self.cacheControl = cacheControl
        self.guardedBy = guardedBy
    }
}
