import Foundation
public import Gatehouse
public import Observation

/// The single owner of an app's account state.
///
/// It follows the auth service's events. It shows the stored session with the first frame, even offline, and adds the
/// profile when it arrives. Create one at the app's root and pass it down.
///
/// While ``phase`` is `restoring`, the store has not answered yet: show neither a signed-in nor a signed-out state.
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
    /// The signed-in user; nil if signed out.
    public internal(set) var user: AuthenticatedUser?
    /// The phase of the account state.
    public internal(set) var phase = AuthPhase.restoring
    /// The last failure outside of a sign-in. Set it to nil after displaying it.
    public var error: AuthError?
    /// Why the user is signed out; nil if signed in, and before the store has answered.
    public internal(set) var signedOutReason: SignedOutReason?
    /// Why the store does not answer while ``phase`` is `restoring`; nil before the first attempt has failed.
    public internal(set) var storeProblem: StoreProblem?
    /// Whether the account was created by the sign-in that began this session, also if a mail confirmed it in between.
    /// False after a restart, and after a password or a passkey of an account. A provider's sign-in counts as the account's
    /// first one within five seconds of its creation.
    public internal(set) var isNewUser = false
    /// The user came from a password reset mail: ask for a new password, then set this to false.
    public var needsNewPassword = false
    /// The question after a provider sign-in whose address already belongs to an account. Answer it with
    /// ``linking``. nil if there is no question.
    public internal(set) var linkQuestion: AuthLinkQuestion?
    /// The server's public settings; nil before ``loadServerSettings()``.
    public internal(set) var serverSettings: AuthServerSettings?
    /// Whether ``user`` contains the gateway's profile. Until then empty ``AuthenticatedUser/data`` means "unknown";
    /// saving a list based on it would delete the user's entries.
    public internal(set) var isProfileLoaded = false
    var isLoadingProfile = false
    /// ``linkQuestion`` was removed because its answer came too late, so the user must sign in again. Reset by the next
    /// attempt.
    public internal(set) var linkHasExpired = false
    /// The question for the second factor while ``phase`` is `secondFactorNeeded`.
    public internal(set) var secondFactor: ProofQuestion?
    /// The accounts of this device as its store knows them; see ``accounts``.
    var storedAccounts: [DeviceAccount] = []
    @ObservationIgnored var accountLoads = 0
    /// The number of open login screens that add an account.
    @ObservationIgnored package var addingScreens = 0
    /// The account that was in use before the one whose second factor is asked.
    @ObservationIgnored var accountBefore: UUID?
    /// The account that ``use(_:)`` has brought into use, unless a sign-in has followed.
    @ObservationIgnored var activated: UUID?
    /// Whether another account is coming into use. Events show it.
    var isActivating = false
    /// Whether the account whose second factor is asked has an address.
    @ObservationIgnored var hasAddress = false
    /// The question for a fresh proof, while a call waits for its answer; only if ``answersProofQuestions``.
    public internal(set) var proofQuestion: ProofQuestion?
    /// The question whether another account may replace the signed-in one, while ``Mail/openLink(_:)`` or an anonymous user's sign-in
    /// waits
    /// for ``answerSwitch(_:)``; only if ``answersProofQuestions``.
    public internal(set) var switchQuestion: SwitchQuestion?
    /// Whether a screen shows ``proofQuestion`` and ``switchQuestion``. If true, a call that needs a fresh proof asks
    /// and continues; otherwise it throws ``AuthError/freshSignInNeeded`` or ``AuthError/secondFactorNeeded``.
    /// `gatehouse(_:branding:)` of GatehouseUI sets it; if its screens cannot show the question within twenty seconds,
    /// the call throws, and the log says why.
    public var answersProofQuestions = false
    /// How long a browser sheet of the screens stays open, in time that the app runs: while another app is in front and this
    /// one suspended, nothing counts. In steps of twenty seconds.
    public var browserLimit: Duration = .seconds(600)
    /// Whether to ask "Add a passkey?": after a sign-in without one, once on this device. See
    /// ``Passkeys/offer(with:)``.
    public internal(set) var asksForPasskey = false
    /// Whether to ask for the emailed code that gives a new account its address: after a sign-up with a passkey, unless the
    /// server confirms addresses without an email. See ``Credentials/dismissCode()``.
    public internal(set) var asksForEmailCode = false
    /// The number of account changes and deletions in progress.
    var callCount = 0

    /// Whether a sign-in is in progress. It shows its session itself.
    var isSigningIn: Bool { if case .authenticating = phase { true } else { isReplacing || isActivating } }

    /// Whether a user is signed in.
    public var isLoggedIn: Bool { user != nil }

    /// Whether an operation is in progress that the user waits for.
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
    /// The refusal that ended the last session; nil if none did.
    var ending: SessionEnding?
    @ObservationIgnored let appleCredentials: AppleConsent
    @ObservationIgnored let log: @Sendable (TelemetryLevel, String) -> Void
    /// Advanced by every sign-in and sign-out. Work of an older epoch has no effect.
    @ObservationIgnored var epoch = 0
    /// The address of a sign-up that waits for a mail.
    @ObservationIgnored var unconfirmedAddress: String?
    /// The sign-up whose response was lost, for the next attempt alone.
    @ObservationIgnored var unfinishedSignUp: UnfinishedSignUp?
    /// The sign-in of this run, until its passkey question; nil after a restart.
    @ObservationIgnored var opening: Opening?
    /// The link that follows when the second factor of its account is proven.
    @ObservationIgnored var pendingLink: PendingLink?
    /// The calls that wait for an answer to ``proofQuestion``.
    @ObservationIgnored var proofWaiters: [ProvedCall] = []
    /// The number of roots with the screens of GatehouseUI, which say when they show ``proofQuestion``. If none does within
    /// five seconds, none can.
    @ObservationIgnored package var questionRoots = 0 {
        didSet { answersProofQuestions = questionRoots > 0 }
    }
    @ObservationIgnored let proofScreen = QuestionScreen()
    @ObservationIgnored let switchScreen = QuestionScreen()
    @ObservationIgnored var switchWaiter: CheckedContinuation<Bool, Never>?
    /// Whether a screen asked the last ``switchQuestion``.
    @ObservationIgnored var couldAskForSwitch = true
    /// Whether a sign-in may replace the signed-in user.
    @ObservationIgnored var isSwitching = false
    /// Whether a sign-in is in progress while a user is signed in.
    var isReplacing = false
    /// Why the session ended during a sign-in that would have replaced it.
    @ObservationIgnored var endedMeanwhile: SignedOutReason?
    /// The session whose user is shown, and whose profile was asked for.
    @ObservationIgnored var shownSession: AuthSession?
    @ObservationIgnored var loadCount = 0
    /// Whether the server did not say what it offers.
    @ObservationIgnored var hasMissedSettings = false
    @ObservationIgnored var signOutCount = 0
    @ObservationIgnored var loading: Task<Void, Never>?
    /// Sends a name from Apple to the server. No sign-in waits for it.
    @ObservationIgnored var naming: Task<Void, Never>?
    @ObservationIgnored private var listeners: [Task<Void, Never>] = []

    /// Creates a manager over a service of the app's own, and starts to listen. Reads the store once, on the calling
    /// thread.
    ///
    /// - Parameters:
    ///   - service: The service that signs in and out.
    ///   - storage: Stores a name from Apple until the server has it, under `<storageKey>.apple-names`.
    ///   - clock: Measures the duration of sign-ins.
    ///   - telemetry: The receivers of all events.
    ///   - appleCredentials: Reports whether a user who signed in with Apple has revoked that consent; queried at the
    ///     start and at each of its `AppleConsent.moments`. If so, the user is signed out.
    ///   - memory: Remembers the method of the last sign-in.
    ///   - log: Receives log lines that are not telemetry, without personal data. Must return immediately.
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

    /// Returns a valid access token, in any isolation. Apps should get it only here.
    ///
    /// ```swift
    /// var request = URLRequest(url: url)
    /// request.setValue("Bearer \(try await manager.accessToken())", forHTTPHeaderField: "Authorization")
    /// ```
    ///
    /// - Throws: ``AuthError/notAuthenticated`` without a session; ``AuthError/offline(_:)``,
    ///   ``AuthError/networkError(_:)`` or ``AuthError/storeFailed(_:)`` if it could not be refreshed, after which the session is
    ///   kept. Does not set ``error``.
    public nonisolated func accessToken() async throws(AuthError) -> String {
        do { return try await service.accessToken() } catch { throw AuthError(error) }
    }

    /// Returns another access token after your API refused one with 401. Makes no call to the auth server if the session already
    /// has another. Returns the refused token again if it is less than 5 seconds old. Repeat the request once: an API that refuses
    /// a fresh token is at fault.
    ///
    /// - Throws: As ``accessToken()``; ``AuthError/notAuthenticated`` if the auth server has ended the session.
    public nonisolated func accessToken(insteadOf refused: String) async throws(AuthError) -> String {
        do { return try await service.accessToken(insteadOf: refused) } catch { throw AuthError(error) }
    }

    /// Signs out, even without a network. Other accounts of this device stay in ``accounts``, and none of them comes into use.
    /// Sets ``error`` if the store could not be cleared.
    public func signOut() async {
        let account = shownAccount
        leave(.requested)
        await endSession(of: account)
    }

    /// Ends the session in the service, and ignores events about it.
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

    /// Ends sessions in the service, and ignores events about them.
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

    /// Shows a user who signed in while events were ignored, for example through the link in a mail.
    func catchUp() async {
        let mine = epoch
        guard let session = await service.currentSession else { return }
        guard epoch == mine, signOutCount == 0, phase == .unauthenticated else { return }
        if enter(session) { loadProfile() }
    }
}
