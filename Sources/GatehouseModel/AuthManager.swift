public import Gatehouse
public import Observation

/// The one owner of the account's state in an app (requirement A1).
///
/// It follows the auth service's events and keeps nothing of its own: the session that the service restores is shown
/// at once, offline too, and the profile fills in when it arrives. Make one at the app's root and hand it down.
///
/// While ``phase`` is `restoring`, the store has not answered: show neither a guest nor a user.
@MainActor @Observable
public final class AuthManager {
    /// Who is signed in; nil for a guest.
    public internal(set) var user: AuthenticatedUser?
    /// Where the account stands.
    public internal(set) var phase = AuthPhase.restoring
    /// The last failure outside of a sign-in. A view that has shown it sets nil.
    public var error: AuthError?
    /// Why nobody is signed in; nil while somebody is, and before the store has answered.
    public internal(set) var signedOutReason: SignedOutReason?
    /// The person came by a recovery mail: ask for a new password, then set false.
    public var needsNewPassword = false
    /// A provider's sign-in met an account that has its address: ask the person, with ``confirmLink(password:)`` and
    /// its siblings, ``recoverAccount()`` and ``dismissLinkQuestion()`` for the answers. Nil when there is nothing to
    /// ask.
    public internal(set) var linkQuestion: LinkQuestion?
    /// Whether ``user`` has what the gateway knows. Until then an empty ``AuthenticatedUser/favoriteTeams`` means "not
    /// known": whoever makes a new list of it would take the person's teams away.
    public internal(set) var isProfileLoaded = false
    var isLoadingProfile = false
    /// ``linkQuestion`` is gone because the answer came too late: the person has to sign in anew. Until the next
    /// attempt.
    public internal(set) var linkHasExpired = false
    /// Changes of the account, and deletions, that are under way.
    var callCount = 0

    /// Whether ``user`` is there.
    public var isLoggedIn: Bool { user != nil }

    /// Whether something is under way that the person waits for.
    public var isLoading: Bool {
        switch phase {
        case .restoring, .authenticating: true
        case .unauthenticated, .authenticated, .refreshing: isLoadingProfile || callCount > 0
        }
    }

    @ObservationIgnored let service: any AuthService
    @ObservationIgnored let names: PendingNames
    @ObservationIgnored let uptime: @Sendable () -> Duration
    @ObservationIgnored private let sinks: [any TelemetrySink]
    @ObservationIgnored private let appleCredentials: AppleCredentials
    @ObservationIgnored private let log: @Sendable (TelemetryLevel, String) -> Void
    /// Advanced by every sign-in and sign-out; what began before cannot land.
    @ObservationIgnored var epoch = 0
    @ObservationIgnored var loadCount = 0
    /// Of the session that a sign-in of this manager has shown: its event has nothing to add.
    @ObservationIgnored var shownRefreshToken: String?
    @ObservationIgnored var signOutCount = 0
    @ObservationIgnored var loading: Task<Void, Never>?
    /// Brings a name that Apple gave to the server; no sign-in waits for it.
    @ObservationIgnored var naming: Task<Void, Never>?
    @ObservationIgnored private var listeners: [Task<Void, Never>] = []

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - service: What signs in and out.
    ///   - storage: Keeps a name that Apple gave until the server has it, under `<storageKey>.apple-names`.
    ///   - clock: Measures how long a sign-in takes.
    ///   - telemetry: Each hears every event.
    ///   - appleCredentials: Asked at the start, and at its own moments, whether a person who is signed in with Apple
    ///     still is one; who is not is signed out.
    ///   - log: Takes the few lines that are no telemetry, without personal data; returns at once.
    public init(
        service: any AuthService, storage: any SecureStorage, storageKey: String = "gatehouse",
        clock: ClientClock = SystemDefaults.clock(), telemetry: [any TelemetrySink] = [],
        appleCredentials: AppleCredentials = SystemDefaults.appleCredentials(),
        log: @escaping @Sendable (TelemetryLevel, String) -> Void = { _, _ in }
    ) {
        self.service = service
        names = PendingNames(storage: storage, key: storageKey + ".apple-names")
        uptime = clock.uptime
        sinks = telemetry
        self.appleCredentials = appleCredentials
        self.log = log
        let (changes, notices) = (service.authStateChanges, service.notices)
        let moments = appleCredentials.moments()
        listeners = [
            Task { [weak self] in
                for await change in changes { await self?.hear(change) }
            },
            Task { [weak self] in
                for await notice in notices { self?.hear(notice) }
            },
            Task { [weak self] in
                for await _ in moments { await self?.checkAppleCredential() }
            },
        ]
    }

    deinit {
        loading?.cancel()
        naming?.cancel()
        for listener in listeners { listener.cancel() }
    }

    /// A token that a server takes now: the one place where the app gets it.
    ///
    /// - Throws: ``AuthError/notAuthenticated`` without a session; else why it could not be refreshed.
    public func accessToken() async throws(AuthError) -> String {
        do { return try await service.accessToken() } catch { throw AuthError(error) }
    }

    /// Signs out. Whatever the network does, nobody is signed in here afterwards. When the store could not be
    /// cleared, ``error`` says so.
    public func signOut() async {
        leave(.requested)
        await endSession()
    }

    /// Ends the session below, with events about it unheard.
    func endSession() async {
        let mine = epoch
        signOutCount += 1
        do {
            try await service.signOut()
        } catch {
            if epoch == mine { self.error = AuthError(error) }
        }
        signOutCount -= 1
        await catchUp()
    }

    /// Shows whoever came while their event went unheard, as by the link of a mail.
    func catchUp() async {
        let mine = epoch
        guard let session = await service.currentSession else { return }
        guard epoch == mine, signOutCount == 0, phase == .unauthenticated else { return }
        show(session.user)
        loadProfile()
    }
}

// What the service says.
extension AuthManager {
    private func hear(_ change: AuthChange) async {
        // No later event says it again, and ``catchUp()`` shows who it is about.
        if change.event == .passwordRecovery { return await askForPassword(change) }
        guard signOutCount == 0 else { return }
        switch change.event {
        case .initialSession:
            await follow(change)
            // Not waited for: the system may take its time, and the next events must not.
            Task { [weak self] in await self?.checkAppleCredential() }
        case .signedIn, .userUpdated, .signedOut: await follow(change)
        case .tokenRefreshed: endRefresh()
        case .passwordRecovery: break
        }
    }

    /// A person who has signed out since is not asked.
    private func askForPassword(_ change: AuthChange) async {
        let mine = epoch
        let current = await service.currentSession
        if epoch == mine, let current, current.user.id == change.session?.user.id { needsNewPassword = true }
    }

    /// The session's end is heard like every other.
    private func checkAppleCredential() async { _ = await service.checkAppleCredential(appleCredentials) }

    /// A sign-in by this manager shows its session itself. An event that came late, about somebody who is no longer
    /// the one, is followed by others that say so.
    private func follow(_ change: AuthChange) async {
        let mine = epoch
        let current = await service.currentSession
        if case .authenticating = phase { return }
        guard epoch == mine, current?.user.id == change.session?.user.id else { return }
        if change.event == .signedIn, change.session?.refreshToken == shownRefreshToken { return }
        if let session = change.session {
            // Somebody else, as by the link of a mail: what the one before had begun cannot land.
            if let user, user.id != session.user.id {
                epoch += 1
                error = nil
            }
            show(session.user)
            loadProfile()
        } else if case .signedOut(let reason) = change.event {
            if phase != .unauthenticated {
                leave(reason)
            } else if reason != .requested {
                // A wish that is heard only now was this manager's own, and had a reason.
                signedOutReason = reason
            }
        } else {
            leave(.neverSignedIn)
        }
    }

    private func hear(_ notice: AuthNotice) {
        switch notice {
        case .refreshAttempted(let reason):
            record(.refreshAttempted(reason))
            if phase == .authenticated { step(.refreshStarted) }
        case .refreshFailed(let error):
            record(.refreshFailed(SignInProblem(error)))
            endRefresh()
        case .storeFailed: break
        }
    }

    private func endRefresh() {
        if phase == .refreshing { step(.refreshEnded) }
    }
}

// What is shown.
extension AuthManager {
    /// Shows whose session it is; what is known of the same person stays.
    func show(_ account: User, _ me: SignedInAccount? = nil) {
        var shown = AuthenticatedUser(account)
        if let user, user.id == shown.id {
            (shown.firstName, shown.favoriteTeams) = (user.firstName, user.favoriteTeams)
        } else {
            isProfileLoaded = false
        }
        if let me { (shown, isProfileLoaded) = (shown.with(me), true) }
        if user != shown { user = shown }
        signedOutReason = nil
        linkQuestion = nil
        linkHasExpired = false
        step(.signedIn)
    }

    /// Shows a guest; nothing that began before can land.
    func leave(_ reason: SignedOutReason) {
        epoch += 1
        loading?.cancel()
        user = nil
        isProfileLoaded = false
        isLoadingProfile = false
        shownRefreshToken = nil
        needsNewPassword = false
        linkQuestion = nil
        linkHasExpired = false
        error = nil
        signedOutReason = reason
        if reason == .consentRevoked { log(.info, "signed_out reason=consent_revoked") }
        step(.signedOut)
    }

    /// - Returns: Whether the phase knows the step. One that it does not know changes nothing and is recorded.
    @discardableResult
    func step(_ step: AuthStep) -> Bool {
        guard let next = phase.after(step) else {
            record(.stepIgnored)
            return false
        }
        if phase != next { phase = next }
        return true
    }

    func record(_ event: TelemetryEvent) {
        for sink in sinks { sink.record(event) }
    }
}
