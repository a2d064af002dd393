public import Foundation

/// A client for servers that speak the Supabase Auth protocol. It signs users in and keeps them signed in.
///
/// A session ends only when the app signs out or the server has ended it (``SignedOutReason``), never because of a lost
/// connection, a locked keychain, a wrong clock or a crash.
///
/// Names follow supabase-swift. Calls are safe from any task, including a loop over ``authStateChanges``. A call that
/// needs a session refreshes it if necessary, and throws `signedOut` without one. After a failed sign-in, the previous
/// session stays active.
///
/// Calls throw ``AuthClientError``, or `CancellationError`. The documentation of each call names cases of that error
/// and, in snake case, codes of its case `refused`, which ``AuthErrorCode`` explains.
///
/// ```swift
/// let storage = SystemStorage.make(name: "com.example.app", environment: ProcessInfo.processInfo.environment)
/// let client = try GatehouseClient(url: url, publishableKey: publishableKey, storage: storage)
/// try await client.signIn(email: email, password: password)
/// let accessToken = try await client.session.accessToken
/// for await (event, session) in client.authStateChanges {
///     show(event, session?.user)
/// }
/// ```
public final class GatehouseClient: Sendable {
    /// Settings with defaults for most apps.
    public struct Options: Sendable {
        /// The prefix of all keys in the store. Clients with the same prefix share a session.
        public var storageKey = "gatehouse"
        /// The value of `X-Client-Info`.
        public var clientInfo = "\(DeviceName.client)/\(Options.libraryVersion)"
        /// Refreshes: timing and retries.
        public var refresh = RefreshRules()
        /// Whether signing in to another account keeps the current one on this device (``GatehouseClient/accounts``).
        public var allowsSeveralAccounts = false
        /// The source of the keys that new sessions are bound to.
        public var sessionKeys = SessionKeys.automatic
        /// For tests; nil for ``sessionKeys``.
        package var deviceKeys: DeviceKeys?

        /// The defaults.
        public init() {}

        static let libraryVersion = "0.3"
    }

    let caller: AuthCaller
    let coordinator: TokenRefreshCoordinator
    let flows: PendingFlows
    let revocations: KnownRevocations
    /// nil unless the app allows several accounts.
    let parked: ParkedAccounts?
    /// The network's state; ``Reachability/unknown`` for a server on this machine.
    public let reachability: Reachability

    /// Creates a client. Sends no request and does not read the store yet.
    ///
    /// - Parameters:
    ///   - url: The API's URL, such as `https://accounts.example.com/auth/v1`.
    ///   - publishableKey: The app's public key; for ``admin``, on servers only, the secret key.
    ///   - storage: Stores the session between launches.
    ///   - transport: Sends HTTP requests.
    ///   - clock: The source of time.
    ///   - randomness: Returns this many cryptographically secure bytes.
    ///   - reachability: Fails calls immediately without a connection.
    /// - Throws: ``AuthClientError/insecureURL`` unless https, or http to this machine.
    public init(
        url: URL, publishableKey: String, storage: any SecureStorage,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        randomness: @escaping @Sendable (Int) -> [UInt8] = SystemDefaults.randomBytes, options: Options = Options(),
        reachability: Reachability = SystemDefaults.reachability()
    ) throws(AuthClientError) {
        guard url.isSafeForTokens else { throw .insecureURL }
        self.reachability = url.isLoopback ? .unknown : reachability
        caller = AuthCaller(
            url: url, key: publishableKey, transport: transport, clock: clock, randomness: randomness,
            isOffline: self.reachability.isOffline, options)
        (coordinator, flows, revocations) = Self.parts(caller, storage, randomness, options)
        parked = Self.parked(storage, options)
    }

    /// - Parameter url: Safe for tokens; not this machine.
    package init(
        safeURL url: URL, publishableKey: String, storage: any SecureStorage, transport: @escaping HTTPTransport,
        clock: ClientClock, randomness: @escaping @Sendable (Int) -> [UInt8], options: Options,
        reachability: Reachability
    ) {
        self.reachability = reachability
        caller = AuthCaller(
            url: url, key: publishableKey, transport: transport, clock: clock, randomness: randomness,
            isOffline: reachability.isOffline, options)
        (coordinator, flows, revocations) = Self.parts(caller, storage, randomness, options)
        parked = Self.parked(storage, options)
    }

    private static func parked(_ storage: any SecureStorage, _ options: Options) -> ParkedAccounts? {
        options.allowsSeveralAccounts ? ParkedAccounts(storage: storage, key: options.storageKey) : nil
    }

    private static func parts(
        _ caller: AuthCaller, _ storage: any SecureStorage, _ randomness: @escaping @Sendable (Int) -> [UInt8],
        _ options: Options
    ) -> (TokenRefreshCoordinator, PendingFlows, KnownRevocations) {
        let coordinator = TokenRefreshCoordinator(
            slot: SessionSlot(storage: storage, key: options.storageKey), clock: caller.clock, rules: options.refresh,
            randomBytes: randomness,
            exchange: BoundExchange(keys: caller.keys, proofs: caller.proofs) {
                try await caller.refreshed($0, with: $1)
            })
        return (
            coordinator, PendingFlows(storage: storage, key: options.storageKey, randomBytes: randomness),
            KnownRevocations(storage: storage, key: options.storageKey)
        )
    }

    /// The session, with an access token valid for at least 30 seconds.
    ///
    /// Concurrent callers share one refresh. If the server or store is unavailable, an unexpired token is returned
    /// unrefreshed.
    ///
    /// - Throws: `signedOut`; `sessionChanged` if a sign-in intervened. After `offline`, `refused`, `unexpectedAnswer`,
    ///   `storeUnavailable` and `storeFailed` the session is kept: retry later.
    public var session: AuthSession {
        get async throws { try await coordinator.freshSession() }
    }

    /// The last known session, fresh or stale; nil if signed out, or if the store is unavailable. Sends no request.
    public var currentSession: AuthSession? {
        get async {
            if case .signedIn(let session, _) = await state { session } else { nil }
        }
    }

    /// The user of ``currentSession``.
    public var currentUser: AuthUser? {
        get async { await currentSession?.user }
    }

    /// The stored state, for an app's first frame; `restoring` if the store does not answer immediately. Reads the
    /// store on each access. ``authStateChanges`` reports later states.
    public var initialState: AuthState { coordinator.storedState }

    /// The current state. Sends no request.
    public var state: AuthState {
        get async {
            // Ignored: the state is then `restoring`.
            try? await coordinator.restore()
            return await coordinator.publicState
        }
    }

    /// The session's events, first `initialSession` once the store answers. Each stream buffers without limit, so no
    /// listener delays others or misses events.
    public var authStateChanges: AsyncStream<AuthChange> {
        let (stream, continuation) = AsyncStream<AuthChange>.makeStream()
        Task { [coordinator] in await coordinator.listen(continuation) }
        return stream
    }

    /// Internal events from now on, for telemetry.
    public var notices: AsyncStream<AuthNotice> {
        let (stream, continuation) = AsyncStream<AuthNotice>.makeStream()
        Task { [coordinator] in await coordinator.listen(continuation) }
        return stream
    }

    /// Refreshes the session, for example after your server changed the user's claims. Always sends a request, after
    /// any refresh under way.
    ///
    /// - Parameter reason: For telemetry. Unless `requested`, joins a refresh under way, and keeps a token less than 5
    ///   seconds old.
    /// - Throws: As ``session``, also before the token expires.
    @discardableResult
    public func refreshSession(_ reason: RefreshReason = .requested) async throws -> AuthSession {
        try await coordinator.refreshedSession(reason)
    }

    /// Returns another token than the refused one, without a request if there already is one.
    ///
    /// - Throws: As ``session``, also before the token expires.
    public func refreshSession(insteadOf accessToken: String) async throws -> AuthSession {
        try await coordinator.refreshedSession(.unauthorized, insteadOf: accessToken)
    }

    /// Asks the auth server about a session whose token another server refused: refreshes it or, if the token is less
    /// than 5 seconds old, fetches the user.
    ///
    /// - Returns: The same user's session, with a token that the auth server issued or accepted. A server that refuses
    ///   it is at fault.
    /// - Throws: As ``session``, also before the token expires.
    public func confirmedSession(insteadOf refused: AuthSession) async throws -> AuthSession {
        let other = try await refreshSession(insteadOf: refused.accessToken)
        guard other.user.id == refused.user.id else { throw AuthClientError.sessionChanged }
        guard other.accessToken == refused.accessToken else { return other }
        try await user()
        let confirmed = try await session
        guard confirmed.user.id == refused.user.id else { throw AuthClientError.sessionChanged }
        return confirmed
    }

    /// Signs in with tokens from elsewhere. Exchanges the refresh token immediately: do not use copies of it. Ignores
    /// the access token, a parameter for source compatibility.
    ///
    /// - Throws: `refresh_token_not_found`, `refresh_token_already_used`; `invalid_dpop_proof` for a session bound to a
    ///   key that this client does not have.
    @discardableResult
    public func setSession(accessToken _: String, refreshToken: String) async throws -> AuthSession {
        try await signIn(.refresh(refreshToken))
    }
}

extension AuthRequest {
    static func refresh(_ token: String) -> AuthRequest {
        AuthRequest(
            "POST", "/token", query: [("grant_type", "refresh_token")], body: ["refresh_token": .string(token)])
    }
}
