import Foundation

/// How hard a call to the gateway tries. The defaults are the ones of the requirements (B7).
public struct GatewayRules: Sendable {
    /// For one request.
    public var requestLimit: Duration = .seconds(30)
    /// For all requests of one call and the waits between them.
    public var callLimit: Duration = .seconds(60)
    /// How long a call waits for a device that has no connection at all.
    public var connectivityLimit: Duration = .seconds(10)
    /// Further tries after the first: after no answer and 5xx, for calls that can be repeated; after 429, for all.
    public var retries = 2
    /// The wait before the first further try, doubled for each one after it, times a random 0.5 to 1.5.
    public var firstWait: Duration = .milliseconds(500)
    /// When the server asks for more than this (`Retry-After`), the caller is told at once.
    public var longestWait: Duration = .seconds(10)
    /// How many requests in a row have no answer or 5xx before no more are sent.
    public var failuresToOpen = 3
    /// For how long none are sent then.
    public var openTime: Duration = .seconds(30)
    /// Whether an error of the transport says that the device has no connection, so that nothing was sent.
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

/// Where the gateway's client gets access tokens.
public struct GatewayTokens: Sendable {
    /// One that is good now.
    public var current: @Sendable () async throws -> String
    /// Another one than the one that the gateway has just refused.
    public var insteadOf: @Sendable (_ refused: String) async throws -> String

    /// Both throw ``AuthClientError``.
    public init(
        current: @escaping @Sendable () async throws -> String,
        insteadOf: @escaping @Sendable (_ refused: String) async throws -> String
    ) {
        self.current = current
        self.insteadOf = insteadOf
    }

    /// Those of the client's session.
    public init(_ client: AuthClient) {
        self.init(
            current: { try await client.session.accessToken },
            insteadOf: { try await client.refreshSession(insteadOf: $0).accessToken })
    }
}
