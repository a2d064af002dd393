import Foundation
public import Gatehouse
public import Observation

/// The single owner of an app's account state. Create one at the app's root and pass it down.
///
/// It shows the stored session in the first frame, even offline. While ``phase`` is `restoring`, show neither a
/// signed-in nor a signed-out state.
///
/// ```swift
/// let account = AuthManager(url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
/// do {
///     let outcome = try await account.signInWithEmail("ada@example.com", password: password)
///     showsMailHint = outcome == .checkMail
/// } catch {
///     message = SignInMessage(.email, error)?.localized
/// }
/// ```
@MainActor @Observable
public final class AuthManager {
    /// The signed-in user.
    public internal(set) var user: AuthenticatedUser?
    /// The phase of the account state.
    public internal(set) var phase = AuthPhase.restoring
    /// The last failure outside of a sign-in. Reset it after displaying it.
    public var error: AuthError?
    /// The reason for the sign-out; nil if signed in or unknown.
    public internal(set) var signedOutReason: SignedOutReason?
    /// Why the store does not answer while ``phase`` is `restoring`.
    public internal(set) var storeProblem: StoreProblem?
    /// Whether this session's sign-in created the account, including after an email confirmation. False after a
    /// restart.
    ///
    /// A provider's sign-in counts within five seconds of the account's creation.
    public internal(set) var isNewUser = false
    /// Whether to ask for a new password after a reset. Set it to false afterwards.
    public var needsNewPassword = false
    /// The question after a provider sign-in with another account's address; see ``linking``.
    public internal(set) var linkQuestion: AuthLinkQuestion?
    /// The server's public settings; nil before ``loadServerSettings()``.
    public internal(set) var serverSettings: AuthServerSettings?
    /// Whether ``user`` contains the loaded profile.
    ///
    /// Until then, do not save changes of ``AuthenticatedUser/data``: it is empty.
    public internal(set) var isProfileLoaded = false
    var isLoadingProfile = false
    /// Whether ``linkQuestion`` has expired: sign in again.
    public internal(set) var linkHasExpired = false
    /// The question while ``phase`` is `secondFactorNeeded`.
    public internal(set) var secondFactor: ProofQuestion?
    var storedAccounts: [DeviceAccount] = []
    @ObservationIgnored var accountLoads = 0
    @ObservationIgnored package var addingScreens = 0
    /// In use before the second factor was asked.
    @ObservationIgnored var accountBefore: UUID?
    /// Set by ``use(_:)``, until a sign-in.
    @ObservationIgnored var activated: UUID?
    var isActivating = false
    /// Of the account whose second factor is asked.
    @ObservationIgnored var hasAddress = false
    /// The question for a fresh proof. Requires ``answersProofQuestions``.
    public internal(set) var proofQuestion: ProofQuestion?
    /// Asks whether to replace the account; ``answerSwitch(_:)`` answers it. Requires ``answersProofQuestions``.
    ///
    /// ``Mail/openLink(_:)`` or an anonymous user's sign-in waits for it.
    public internal(set) var switchQuestion: SwitchQuestion?
    /// Whether a screen shows ``proofQuestion`` and ``switchQuestion``, as `gatehouse(_:branding:)` of GatehouseUI
    /// does.
    ///
    /// Without one, or after twenty seconds, the call throws ``AuthError/freshSignInNeeded`` or
    /// ``AuthError/secondFactorNeeded``.
    public var answersProofQuestions = false
    /// How long a browser sheet stays open, in steps of twenty seconds while the app runs.
    public var browserLimit: Duration = .seconds(600)
    /// Whether to ask "Add a passkey?"; see ``Passkeys/offer(with:)``.
    public internal(set) var asksForPasskey = false
    /// Whether to ask for the emailed code of a passkey account. See ``Credentials/dismissCode()``.
    public internal(set) var asksForEmailCode = false
    /// The request for access to show to the signed-in user; see ``consents``.
    public internal(set) var authorizationRequest: AuthorizationRequest?
    @ObservationIgnored let consentPoll = ConsentPoll()
    var callCount = 0
    /// The last challenge of each telephone factor.
    @ObservationIgnored var challenges: [UUID: UUID] = [:]

    /// A sign-in shows its session itself.
    var isSigningIn: Bool { if case .authenticating = phase { true } else { isReplacing || isActivating } }

    /// Whether a user is signed in.
    public var isLoggedIn: Bool { user != nil }

    /// Whether an operation blocks the user.
    public var isLoading: Bool {
        switch phase {
        case .restoring, .authenticating: true
        case .unauthenticated, .secondFactorNeeded, .authenticated, .refreshing:
            isReplacing || isActivating || isLoadingProfile || callCount > 0
        }
    }

    @ObservationIgnored let service: any AuthService
    @ObservationIgnored let names: PendingNames
    @ObservationIgnored let memory: SignInMemory
    /// The source of time.
    public nonisolated let clock: ClientClock
    @ObservationIgnored let sinks: [any TelemetrySink]
    @ObservationIgnored var recent = RecentEvents()
    var ending: SessionEnding?
    @ObservationIgnored let appleCredentials: AppleConsent
    @ObservationIgnored let log: @Sendable (TelemetryLevel, String) -> Void
    /// Advanced by every sign-in and sign-out, which outdates earlier work.
    @ObservationIgnored var epoch = 0
    @ObservationIgnored var unconfirmedAddress: String?
    /// Only for the next attempt.
    @ObservationIgnored var unfinishedSignUp: UnfinishedSignUp?
    /// Until its passkey question; nil after a restart.
    @ObservationIgnored var opening: Opening?
    @ObservationIgnored var pendingLink: PendingLink?
    @ObservationIgnored var proofWaiters: [ProvedCall] = []
    @ObservationIgnored package var questionRoots = 0 {
        didSet { answersProofQuestions = questionRoots > 0 }
    }
    @ObservationIgnored let proofScreen = QuestionScreen()
    @ObservationIgnored let switchScreen = QuestionScreen()
    @ObservationIgnored var switchWaiter: CheckedContinuation<Bool, Never>?
    @ObservationIgnored var couldAskForSwitch = true
    @ObservationIgnored var isSwitching = false
    /// During a sign-in with a user signed in.
    var isReplacing = false
    /// Why the session ended during its replacement.
    @ObservationIgnored var endedMeanwhile: SignedOutReason?
    @ObservationIgnored var shownSession: AuthSession?
    @ObservationIgnored var loadCount = 0
    @ObservationIgnored var hasMissedSettings = false
    @ObservationIgnored var signOutCount = 0
    @ObservationIgnored var loading: Task<Void, Never>?
    @ObservationIgnored var naming: Task<Void, Never>?
    @ObservationIgnored private var listeners: [Task<Void, Never>] = []

    /// Creates a manager over a custom service. Reads the store once, on the calling thread.
    ///
    /// - Parameters:
    ///   - service: Signs in and out.
    ///   - storage: Stores a name from Apple until the server has it, under `<storageKey>.apple-names`.
    ///   - clock: Measures the duration of sign-ins.
    ///   - telemetry: Receivers of all events.
    ///   - appleCredentials: Reports revoked consent to Sign in with Apple, at the start and at its
    ///     `AppleConsent.moments`, which signs out.
    ///   - memory: Remembers the last sign-in's method.
    ///   - log: Receives log lines without personal data. Must return immediately.
    public init(
        service: any AuthService, storage: any SecureStorage, storageKey: String = "gatehouse",
        clock: ClientClock = SystemDefaults.clock(), telemetry: [any TelemetrySink] = [],
        appleCredentials: AppleConsent = SystemDefaults.appleCredentials(), memory: SignInMemory = .inMemory(),
        log: @escaping @Sendable (TelemetryLevel, String) -> Void = { _, _ in }
    ) {
        self.service = service
        names = PendingNames(storage: storage, key: storageKey + ".apple-names")
        self.memory = memory
        self.clock = clock
        sinks = telemetry
        self.appleCredentials = appleCredentials
        self.log = log
        let (changes, notices) = (service.authStateChanges, service.notices)
        let (moments, networks) = (appleCredentials.moments(), service.reachability.changes())
        listeners = [
            Task { [weak self] in
                for await change in changes { await self?.events.hear(change) }
            },
            Task { [weak self] in
                for await notice in notices { self?.events.hear(notice) }
            },
            Task { [weak self] in
                for await _ in moments { await self?.events.checkAppleCredential() }
            },
            Task { [weak self] in
                for await isOffline in networks { self?.events.hear(isOffline: isOffline) }
            },
        ]
        switch service.initialState {
        case .restoring: break
        case .signedOut(let reason): leave(reason)
        case .signedIn(let session, _): if enter(session) { loadProfile() }
        }
        if service.allowsSeveralAccounts { Task { [weak self] in await self?.loadAccounts() } }
        if let setupProblem { log(.error, "setup \(setupProblem)") }
    }

    deinit {
        loading?.cancel()
        naming?.cancel()
        for listener in listeners { listener.cancel() }
    }

    /// Returns a valid access token, in any isolation. Does not set ``error``.
    ///
    /// ```swift
    /// var request = URLRequest(url: url)
    /// request.setValue("Bearer \(try await manager.accessToken())", forHTTPHeaderField: "Authorization")
    /// ```
    ///
    /// - Throws: ``AuthError/notAuthenticated`` without a session. If the refresh failed: ``AuthError/offline(_:)``,
    ///   ``AuthError/networkError(_:)`` or ``AuthError/storeFailed(_:)``, which keep the session.
    public nonisolated func accessToken() async throws(AuthError) -> String {
        do { return try await service.accessToken() } catch { throw AuthError(error) }
    }

    /// Returns another access token after your API rejected one with 401, refreshing only if necessary.
    ///
    /// Returns the rejected token if it is less than 5 seconds old. Retry the request only once.
    ///
    /// - Throws: As ``accessToken()``; ``AuthError/notAuthenticated`` if the session has ended.
    public nonisolated func accessToken(insteadOf refused: String) async throws(AuthError) -> String {
        do { return try await service.accessToken(insteadOf: refused) } catch { throw AuthError(error) }
    }

    /// Signs out, even offline. Other ``accounts`` stay, inactive. Sets ``error`` if the store was not cleared.
    public func signOut() async {
        let account = shownAccount
        leave(.requested)
        await endSession(of: account)
    }

    func endSession(of account: UUID?) async {
        let service = service
        await endSessions {
            if service.allowsSeveralAccounts, let account {
                try await service.remove(account: account)
            } else {
                try await service.signOut()
            }
        }
    }

    func endSessions(_ end: @MainActor () async throws -> Void) async {
        let mine = epoch
        signOutCount += 1
        do {
            try await end()
        } catch {
            if epoch == mine { self.error = AuthError(error) }
        }
        signOutCount -= 1
        await loadAccounts()
        await catchUp()
    }

    /// Events were ignored, for example about an emailed link's user.
    func catchUp() async {
        let mine = epoch
        guard let session = await service.currentSession else { return }
        guard epoch == mine, signOutCount == 0, phase == .unauthenticated else { return }
        if enter(session) { loadProfile() }
    }
}
