public import Foundation

/// A client for servers that speak the Supabase Auth protocol. It signs users in and keeps them signed in.
///
/// A session ends only when the app signs out or the server states that it has ended; ``SignedOutReason`` tells which.
/// A lost connection, a locked keychain, a wrong clock or a crash does not end a session.
///
/// Names follow supabase-swift for calls that it has. Calls that need a session refresh it first if necessary. They
/// throw ``AuthClientError``, or `CancellationError` if the task is cancelled while the server is called. All calls are
/// safe from any task, including a loop over ``authStateChanges``.
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
    /// Settings with defaults that suit most apps.
    public struct Options: Sendable {
        /// The prefix of all keys in the store. Two clients with the same prefix share one session.
        public var storageKey = "gatehouse"
        /// The value of `X-Client-Info`.
        public var clientInfo = "\(DeviceName.client)/\(Options.libraryVersion)"
        /// Timing and retries of refreshes.
        public var refresh = RefreshRules()
        /// Whether a sign-in to another account keeps the signed-in one on this device; see ``GatehouseClient/accounts``.
        /// Otherwise it replaces that one, whose session then ends.
        public var allowsSeveralAccounts = false

        /// The defaults.
        public init() {}

        static let libraryVersion = "0.3"
    }

    let caller: AuthCaller
    let coordinator: TokenRefreshCoordinator
    let flows: PendingFlows
    let revocations: KnownRevocations
    /// The accounts that are not in use; nil unless the app allows several.
    let parked: ParkedAccounts?
    /// The system's knowledge of the network; ``Reachability/unknown`` for a server on this machine.
    public let reachability: Reachability

    /// Creates a client. Makes no calls and does not read the store yet.
    ///
    /// - Parameters:
    ///   - url: The URL of the API, such as `https://accounts.example.com/auth/v1`.
    ///   - publishableKey: The app's public key. For ``admin``, on servers only, the secret key.
    ///   - storage: Stores the session between launches.
    ///   - transport: Sends HTTP requests.
    ///   - clock: The source of time.
    ///   - randomness: Returns the given number of cryptographically secure random bytes.
    ///   - reachability: Lets calls fail immediately while the device has no connection.
    /// - Throws: ``AuthClientError/insecureURL`` for http to another machine, and for any other scheme than https.
    public init(
        url: URL, publishableKey: String, storage: any SecureStorage,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        randomness: @escaping @Sendable (Int) -> [UInt8] = SystemDefaults.randomBytes, options: Options = Options(),
        reachability: Reachability = SystemDefaults.reachability()
    ) throws(AuthClientError) {
        guard url.isSafeForTokens else { throw .insecureURL }
        self.reachability = url.isLoopback ? .unknown : reachability
        caller = AuthCaller(
            url: url, key: publishableKey, clientInfo: options.clientInfo, transport: transport, clock: clock,
            isOffline: self.reachability.isOffline)
        (coordinator, flows, revocations) = Self.parts(caller, storage, randomness, options)
        parked = Self.parked(storage, options)
    }

    /// - Parameter url: Tokens may be sent to it. Not this machine.
    package init(
        safeURL url: URL, publishableKey: String, storage: any SecureStorage, transport: @escaping HTTPTransport,
        clock: ClientClock, randomness: @escaping @Sendable (Int) -> [UInt8], options: Options,
        reachability: Reachability
    ) {
        self.reachability = reachability
        caller = AuthCaller(
            url: url, key: publishableKey, clientInfo: options.clientInfo, transport: transport, clock: clock,
            isOffline: reachability.isOffline)
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
            randomBytes: randomness, exchange: { try await caller.session(.refresh($0)) })
        return (
            coordinator, PendingFlows(storage: storage, key: options.storageKey, randomBytes: randomness),
            KnownRevocations(storage: storage, key: options.storageKey)
        )
    }

    /// The session with an access token that is valid for at least 30 more seconds, refreshed first if necessary.
    ///
    /// Concurrent callers share one refresh. If the server or the store is unavailable, a token that has not expired
    /// yet is returned unrefreshed.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session, or if the server ended it; `sessionChanged` if a
    ///   sign-in intervened; `offline`, `refused`, `unexpectedAnswer`, `storeUnavailable` or `storeFailed` if the
    ///   session could not be refreshed or stored. It is then kept: try again later.
    public var session: AuthSession {
        get async throws { try await coordinator.freshSession() }
    }

    /// The last known session, fresh or stale; nil if signed out, or if the store does not answer. Makes no call to the
    /// server.
    public var currentSession: AuthSession? {
        get async {
            if case .signedIn(let session, _) = await state { session } else { nil }
        }
    }

    /// The user of ``currentSession``.
    public var currentUser: AuthUser? {
        get async { await currentSession?.user }
    }

    /// The stored state, for the first frame of an app: signed in or out if the store answers immediately, otherwise
    /// `restoring`, as with a locked keychain. Each access reads the store and sends no request. ``authStateChanges``
    /// reports later states.
    public var initialState: AuthState { coordinator.storedState }

    /// The current state. Reads the store if it has not answered yet; makes no call to the server.
    public var state: AuthState {
        get async {
            // Ignored: if the store does not answer, the state is `restoring`.
            try? await coordinator.restore()
            return await coordinator.publicState
        }
    }

    /// Events of the session from now on. The first event is always `initialSession` with the stored session, fresh or
    /// stale, as soon as the store answers.
    ///
    /// Each stream has its own unbounded buffer: a slow listener neither delays others nor misses events.
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

    /// Refreshes the session, for example after your server changed the user's claims. The request always reaches the auth
    /// server, after a refresh that is already under way.
    ///
    /// - Parameter reason: For telemetry. With another reason than `requested`, a token that is less than 5 seconds old is
    ///   returned again, and a refresh under way is joined.
    /// - Throws: As ``session``, also before the token expires.
    @discardableResult
    public func refreshSession(_ reason: RefreshReason = .requested) async throws -> AuthSession {
        try await coordinator.refreshedSession(reason)
    }

    /// Returns a session with a different token than one that a server just refused. Makes no call if there already is
    /// one.
    ///
    /// - Throws: As ``session``, also before the token expires.
    public func refreshSession(insteadOf accessToken: String) async throws -> AuthSession {
        try await coordinator.refreshedSession(.unauthorized, insteadOf: accessToken)
    }

    /// Asks the auth server about a session whose access token another server refused: refreshes the session or, if the
    /// token is less than 5 seconds old, fetches the user with it.
    ///
    /// - Returns: The session of the same user, with a token that the auth server issued or accepted. A server that
    ///   refuses this token too is at fault.
    /// - Throws: As ``session``, also before the token expires: `signedOut` if the auth server has ended the session,
    ///   `sessionChanged` if another user has signed in.
    public func confirmedSession(insteadOf refused: AuthSession) async throws -> AuthSession {
        let other = try await refreshSession(insteadOf: refused.accessToken)
        guard other.user.id == refused.user.id else { throw AuthClientError.sessionChanged }
        guard other.accessToken == refused.accessToken else { return other }
        try await user()
        let confirmed = try await session
        guard confirmed.user.id == refused.user.id else { throw AuthClientError.sessionChanged }
        return confirmed
    }

    /// Signs in with tokens from elsewhere. The refresh token is exchanged immediately, so copies of it must not be
    /// used again. The access token is ignored; the parameter exists for source compatibility.
    ///
    /// - Throws: ``AuthClientError``, with the code `refresh_token_not_found` or `refresh_token_already_used` for a
    ///   token that the server no longer accepts. The previous session stays active.
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
