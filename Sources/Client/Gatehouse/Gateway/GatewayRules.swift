import Foundation

/// Time limits and retries of gateway calls.
public struct GatewayRules: Sendable {
    /// The time limit of one request.
    public var requestLimit: Duration = .seconds(30)
    /// The time limit of a call, with its wait for a token, all its requests and waits.
    public var callLimit: Duration = .seconds(60)
    /// How long a call waits while the device has no connection, unless the system reports that: see
    /// ``Reachability``.
    public var connectivityLimit: Duration = .seconds(2)
    /// After the gateway refused a token that the auth server has confirmed, further refusals of the same token are
    /// reported for this long without asking the auth server again.
    public var confirmationPause: Duration = .seconds(60)
    /// The number of retries: of idempotent calls without a response and after 5xx, of all calls after 429.
    public var retries = 2
    /// The delay before the first retry, doubled for each further one, times a random factor from 0.5 to 1.5.
    public var firstWait: Duration = .milliseconds(500)
    /// A longer `Retry-After` is reported to the caller instead of waiting.
    public var longestWait: Duration = .seconds(10)
    /// The number of consecutive failures (no response or 5xx) that stops requests.
    public var failuresToOpen = 3
    /// How long no requests are sent then.
    public var openTime: Duration = .seconds(30)
    /// Whether a transport error means that the device has no connection, so that nothing was sent.
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
    /// Returns the session with a valid token. Throws ``AuthClientError``.
    public var current: @Sendable () async throws -> AuthSession
    /// Asks the auth server about the session whose token the gateway just refused. Returns the session of the same
    /// user with a token that the auth server issued or confirmed. Throws ``AuthClientError``.
    public var confirmed: @Sendable (_ refused: AuthSession) async throws -> AuthSession

    /// Creates a source. Both closures throw ``AuthClientError``, which the gateway client rethrows.
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
