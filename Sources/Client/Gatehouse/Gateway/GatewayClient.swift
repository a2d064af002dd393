public import Foundation
import GatehouseWire

/// A client for the gateway: the signed-in user's profile and custom routes.
///
/// - Retries idempotent calls without a response and after 5xx, and all calls after 429 with a short `Retry-After`.
/// - After a 401, asks the auth server, usually by a refresh, and repeats the call once.
/// - After 3 consecutive failures, calls fail immediately for 30 seconds.
/// - Never ends a session: only the auth server can (``AuthClientError/refusesValidToken(_:)``).
///
/// ```swift
/// let gateway = try GatewayClient(url: url, tokens: GatewayTokens(client))
/// do {
///     let account = try await gateway.updateProfile(ProfileChange(firstName: "Ada"))
///     greet(account.profile?.firstName)
/// } catch AuthClientError.signedOut {
///     showsLogin = true
/// }
/// ```
public actor GatewayClient {
    private let url: URL
    private let tokens: GatewayTokens
    private let transport: HTTPTransport
    private let clock: ClientClock
    private let randomness: @Sendable (Int) -> [UInt8]
    private let rules: GatewayRules
    private let reachability: Reachability
    private var circuit: CircuitBreaker
    /// A token that the auth server confirmed and the gateway refused, and when to ask again.
    private var disputed: (token: String, until: Duration)?

    /// Creates a client without sending a request.
    ///
    /// - Parameters:
    ///   - url: The gateway's URL, without `/v1`.
    ///   - tokens: Usually `GatewayTokens(client)`.
    /// - Throws: ``AuthClientError/insecureURL`` unless https, or http to this machine.
    public init(
        url: URL, tokens: GatewayTokens, transport: @escaping HTTPTransport = SystemDefaults.transport(),
        clock: ClientClock = SystemDefaults.clock(),
        randomness: @escaping @Sendable (Int) -> [UInt8] = SystemDefaults.randomBytes,
        rules: GatewayRules = GatewayRules(), reachability: Reachability = SystemDefaults.reachability()
    ) throws(AuthClientError) {
        guard url.isSafeForTokens else { throw .insecureURL }
        self.init(
            safeURL: url, tokens: tokens, transport: transport, clock: clock, randomness: randomness, rules: rules,
            reachability: reachability)
    }

    /// - Parameter url: Safe for tokens.
    package init(
        safeURL url: URL, tokens: GatewayTokens, transport: @escaping HTTPTransport, clock: ClientClock,
        randomness: @escaping @Sendable (Int) -> [UInt8], rules: GatewayRules, reachability: Reachability
    ) {
        self.url = url
        self.tokens = tokens
        self.transport = transport
        self.clock = clock
        self.randomness = randomness
        self.rules = rules
        // Loopback needs no network.
        self.reachability = url.isLoopback ? .unknown : reachability
        circuit = CircuitBreaker(threshold: rules.failuresToOpen, pause: rules.openTime)
    }

    /// If the token is refused, asks the auth server and repeats once.
    func send(_ request: GatewayRequest) async throws -> HTTPReply {
        let deadline = clock.uptime() + rules.callLimit
        guard request.needsToken else { return try await answer(request, token: nil, deadline) }
        let session = try await self.session(until: deadline) { [tokens] in try await tokens.current() }
        let first = try await answer(request, token: session.accessToken, deadline, passing: 401)
        guard first.status == 401 else { return first }
        if let disputed, disputed.token == session.accessToken, clock.uptime() < disputed.until {
            throw AuthClientError(refusingToken: first)
        }
        let confirmed = try await self.session(until: deadline) { [tokens] in try await tokens.confirmed(session) }
        if confirmed.accessToken == session.accessToken, clock.uptime() + rules.firstWait < deadline {
            // The token is new: a lagging gateway may soon accept it.
            try await clock.sleep(rules.firstWait)
        }
        let second = try await answer(request, token: confirmed.accessToken, deadline, passing: 401)
        guard second.status == 401 else { return second }
        disputed = (confirmed.accessToken, clock.uptime() + rules.confirmationPause)
        throw AuthClientError(refusingToken: second)
    }

    /// A refresh in progress continues after the deadline.
    private func session(
        until deadline: Duration, _ get: @escaping @Sendable () async throws -> AuthSession
    ) async throws -> AuthSession {
        do {
            return try await limited(to: max(deadline - clock.uptime(), .zero), by: clock.sleep, get)
        } catch let error as TimeIsOver {
            throw AuthClientError.offline(.noAnswer(error.shortText))
        }
    }

    /// Returns the status `passing` instead of throwing.
    private func answer(
        _ request: GatewayRequest, token: String?, _ deadline: Duration, passing: Int? = nil
    ) async throws -> HTTPReply {
        let offlineEnd = min(deadline, clock.uptime() + rules.connectivityLimit)
        var (failures, offlineWait) = (0, rules.firstWait)
        while true {
            switch try await attempt(request, token, deadline) {
            case .reply(let reply) where reply.status == passing: return reply
            case .reply(let reply): return try Self.checked(reply)
            case .noConnection(let error):
                guard clock.uptime() + offlineWait <= offlineEnd else { throw error }
                try await clock.sleep(offlineWait)
                offlineWait = offlineWait * 2
            case .failed(let error, let retryAfter, let isHarmless):
                let random = Double(randomness(1).first ?? 0) / 255
                guard request.isRepeatable || isHarmless,
                    let wait = rules.backoff.wait(failures: failures, retryAfter: retryAfter, random: random),
                    clock.uptime() + wait < deadline
                else { throw error }
                failures += 1
                try await clock.sleep(wait)
            }
        }
    }

    private enum Attempt {
        case reply(HTTPReply)
        /// No request was sent.
        case noConnection(AuthClientError)
        /// - Parameter isHarmless: Whether the server certainly did nothing.
        case failed(AuthClientError, retryAfter: Duration?, isHarmless: Bool)
    }

    private func attempt(_ request: GatewayRequest, _ token: String?, _ deadline: Duration) async throws -> Attempt {
        try enter(before: deadline)
        let reply: HTTPReply
        do {
            let limit = min(rules.requestLimit, deadline - clock.uptime())
            let call = request.call(at: url, token: token)
            reply = try await limited(to: limit, by: clock.sleep) { [transport] in
                do {
                    return try await transport(call)
                } catch {
                    // Transports report cancellation with their own errors.
                    try Task.checkCancellation()
                    throw error
                }
            }
            // The reply may precede the cancellation.
            try Task.checkCancellation()
        } catch {
            if error is CancellationError || Task.isCancelled {
                circuit.abandoned()
                throw CancellationError()
            }
            return try noAnswer(error)
        }
        if reply.status >= 500 {
            circuit.failed(AuthClientError(gateway: reply), at: clock.uptime())
            return .failed(AuthClientError(gateway: reply), retryAfter: reply.retryAfter, isHarmless: false)
        }
        circuit.succeeded()
        guard reply.status == 429 else { return .reply(reply) }
        return .failed(AuthClientError(gateway: reply), retryAfter: reply.retryAfter, isHarmless: true)
    }

    private func noAnswer(_ error: any Error) throws(AuthClientError) -> Attempt {
        if reachability.isOffline() {
            circuit.abandoned()
            throw .offline(.noConnection)
        }
        let failure = AuthClientError.offline(.noAnswer(error.shortText))
        if rules.isOffline(error) {
            circuit.abandoned()
            return .noConnection(failure)
        }
        circuit.failed(failure, at: clock.uptime())
        return .failed(failure, retryAfter: nil, isHarmless: false)
    }

    /// Throws if no request may be sent, which does not blame the gateway.
    private func enter(before deadline: Duration) throws(AuthClientError) {
        guard clock.uptime() < deadline else { throw .offline(.noAnswer(TimeIsOver().shortText)) }
        try circuit.enter(at: clock.uptime())
    }

    private static func checked(_ reply: HTTPReply) throws(AuthClientError) -> HTTPReply {
        guard (200..<300).contains(reply.status) else { throw AuthClientError(gateway: reply) }
        return reply
    }
}
