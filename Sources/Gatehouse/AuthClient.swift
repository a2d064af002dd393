public import Foundation

/// Signs people in at a server that speaks the Supabase Auth protocol, and keeps them signed in.
///
/// Its promise: nobody is signed out but by their own wish or by the server's clear word, and then
/// ``SignedOutReason`` says why. A lost connection, a locked store, a wrong clock or a crash end no session.
///
/// Names follow supabase-swift where it has the call. Every call that needs a session refreshes it first when it has
/// to; all calls can be made from anywhere, and from within a loop over ``authStateChanges``.
///
/// ```swift
/// let client = try AuthClient(url: url, publishableKey: "sb_publishable_…", storage: storage)
/// for await (event, session) in client.authStateChanges { … }
/// ```
public final class AuthClient: Sendable {
    /// Settings that most apps leave alone.
    public struct Options: Sendable {
        /// The beginning of the names of all entries in the store. Two clients with one key share one session.
        public var storageKey = "gatehouse"
        /// The value of `X-Client-Info`.
        public var clientInfo = "gatehouse-swift/0.1"
        /// How hard a refresh tries.
        public var refresh = RefreshRules()

        /// The defaults.
        public init() {}
    }

    let caller: AuthCaller
    let coordinator: TokenRefreshCoordinator
    let flows: PendingFlows
    let revocations: KnownRevocations

    /// Makes no call and reads nothing yet.
    ///
    /// - Parameters:
    ///   - url: The API's address, such as `https://accounts.example.com/auth/v1`.
    ///   - publishableKey: The app's public key; for ``admin``, on a server only, the secret one.
    ///   - storage: Where the session outlives the process.
    ///   - transport: The network.
    ///   - clock: Time.
    ///   - randomness: As many bytes as asked for, from a generator fit for secrets.
    /// - Throws: ``AuthClientError/insecureURL`` for plain http to another machine.
    public init(
        url: URL, publishableKey: String, storage: any SecureStorage,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        randomness: @escaping @Sendable (Int) -> [UInt8] = SystemDefaults.randomBytes, options: Options = Options()
    ) throws(AuthClientError) {
        guard url.isSafeForTokens else { throw .insecureURL }
        let caller = AuthCaller(
            url: url, key: publishableKey, clientInfo: options.clientInfo, transport: transport, clock: clock)
        self.caller = caller
        coordinator = TokenRefreshCoordinator(
            slot: SessionSlot(storage: storage, key: options.storageKey), clock: clock, rules: options.refresh,
            randomBytes: randomness, exchange: { try await caller.session(.refresh($0)) })
        flows = PendingFlows(storage: storage, key: options.storageKey, randomBytes: randomness)
        revocations = KnownRevocations(storage: storage, key: options.storageKey)
    }

    /// The session with an access token that is good for another 30 seconds, refreshed first when it is not.
    ///
    /// However many callers ask at once, one refresh runs.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `offline`, `storeUnavailable` or `storeFailed`
    ///   when it could not be refreshed or kept, with the session as it was.
    public var session: Session {
        get async throws { try await coordinator.freshSession() }
    }

    /// The session as the store or the last call left it, fresh or stale; nil when nobody is signed in, or when
    /// the store does not answer. Makes no call to the server.
    public var currentSession: Session? {
        get async {
            if case .signedIn(let session, _) = await state { session } else { nil }
        }
    }

    /// The user of ``currentSession``.
    public var currentUser: User? {
        get async { await currentSession?.user }
    }

    /// Who is signed in. Asks the store when it has not answered yet; makes no call to the server.
    public var state: AuthState {
        get async {
            // What is lost: why the store does not answer; the state says "restoring".
            try? await coordinator.restore()
            return await coordinator.publicState
        }
    }

    /// What happens to the session, from now on. The first event is always `initialSession`, with what the store
    /// holds, fresh or stale; it comes when the store answers.
    ///
    /// Each stream has an unbounded queue of its own: a slow listener holds nobody up and misses nothing.
    public var authStateChanges: AsyncStream<AuthChange> {
        let (stream, continuation) = AsyncStream<AuthChange>.makeStream()
        Task { [coordinator] in await coordinator.listen(continuation) }
        return stream
    }

    /// What goes on below the session from now on, for telemetry.
    public var notices: AsyncStream<AuthNotice> {
        let (stream, continuation) = AsyncStream<AuthNotice>.makeStream()
        Task { [coordinator] in await coordinator.listen(continuation) }
        return stream
    }

    /// Refreshes now, unless the token was given under 5 seconds ago.
    ///
    /// - Throws: As ``session``.
    @discardableResult
    public func refreshSession(_ reason: RefreshReason = .requested) async throws -> Session {
        try await coordinator.refreshedSession(reason)
    }

    /// Another token than one that a server has just refused. Nothing is called when there is one already.
    ///
    /// - Throws: As ``session``.
    public func refreshSession(insteadOf accessToken: String) async throws -> Session {
        try await coordinator.refreshedSession(.unauthorized, insteadOf: accessToken)
    }

    /// Signs in with tokens from elsewhere. The refresh token is traded for a new one at once, so the other holder's
    /// copy must not be used again; the access token is not needed and only makes old code compile.
    ///
    /// - Throws: ``AuthClientError``; whoever was signed in still is.
    @discardableResult
    public func setSession(accessToken _: String, refreshToken: String) async throws -> Session {
        try await signIn(.refresh(refreshToken))
    }

    /// Makes the call and keeps the session that it answers.
    func signIn(
        _ request: AuthRequest, bearer: String? = nil, then event: AuthChangeEvent? = nil
    ) async throws -> Session {
        let begun = try await coordinator.beginSignIn()
        let timed = try await caller.session(request, bearer: bearer)
        return try await coordinator.adopt(timed, begun: begun, then: event)
    }

    /// Makes the call with the session's own token, and keeps the session that it answers.
    func signInAsUser(_ request: AuthRequest) async throws -> Session {
        let begun = try await coordinator.beginSignIn()
        let timed = try await asUser { token, _ in try await self.caller.session(request, bearer: token) }
        return try await coordinator.adopt(timed, begun: begun)
    }
}

extension AuthRequest {
    static func refresh(_ token: String) -> AuthRequest {
        AuthRequest(
            "POST", "/token", query: [("grant_type", "refresh_token")], body: ["refresh_token": .string(token)])
    }
}
