import Foundation

/// Time limits and retries of gateway calls.
public struct GatewayRules: Sendable {
    /// One request's time limit.
    public var requestLimit: Duration = .seconds(30)
    /// A call's time limit, including all requests and waits.
    public var callLimit: Duration = .seconds(60)
    /// How long to wait for a connection, unless the system reports that there is none (``Reachability``).
    public var connectivityLimit: Duration = .seconds(2)
    /// How long a token that the auth server confirmed and the gateway refuses is not checked again.
    public var confirmationPause: Duration = .seconds(60)
    /// How often calls are retried: idempotent ones without a response and after 5xx, all after 429.
    public var retries = 2
    /// The first retry's delay, doubled for each further one, times 0.5 to 1.5 at random.
    public var firstWait: Duration = .milliseconds(500)
    /// A longer `Retry-After` is reported to the caller.
    public var longestWait: Duration = .seconds(10)
    /// How many consecutive failures (no response or 5xx) stop requests.
    public var failuresToOpen = 3
    /// How long requests stay stopped.
    public var openTime: Duration = .seconds(30)
    /// Whether a transport error means that nothing was sent for lack of a connection.
    public var isOffline: @Sendable (any Error) -> Bool = { error in
        switch (error as? URLError)?.code {
        case .notConnectedToInternet?, .dataNotAllowed?, .internationalRoamingOff?: true
        default: false
        }
    }

    /// The defaults.
    public init() {}

    var backoff: RefreshRules {
        var rules = RefreshRules()
        (rules.retries, rules.firstWait, rules.longestWait) = (retries, firstWait, longestWait)
        return rules
    }
}

/// The source of access tokens for the gateway client.
public struct GatewayTokens: Sendable {
    /// Returns a session with a valid token. Throws ``AuthClientError``.
    public var current: @Sendable () async throws -> AuthSession
    /// Asks the auth server about the refused token; see ``GatehouseClient/confirmedSession(insteadOf:)``.
    public var confirmed: @Sendable (_ refused: AuthSession) async throws -> AuthSession

    /// Creates a source. Both closures throw ``AuthClientError``.
    public init(
        current: @escaping @Sendable () async throws -> AuthSession,
        confirmed: @escaping @Sendable (_ refused: AuthSession) async throws -> AuthSession
    ) {
        self.current = current
        self.confirmed = confirmed
    }

    /// The tokens of the client's session.
    public init(_ client: GatehouseClient) {
        self.init(
            current: { try await client.session }, confirmed: { try await client.confirmedSession(insteadOf: $0) })
    }
}
