import Gatehouse

// Events of the service.
extension AuthManager {
    func hear(_ change: AuthChange) async {
        // No later event repeats this, and ``catchUp()`` shows its user.
        if change.event == .passwordRecovery { return await askForPassword(change) }
        guard signOutCount == 0 else { return }
        switch change.event {
        case .initialSession:
            await follow(change)
            // Not awaited: the system may be slow, and must not delay later events.
            Task { [weak self] in await self?.checkAppleCredential() }
        case .signedIn, .userUpdated, .signedOut, .mfaChallengeVerified: await follow(change)
        case .tokenRefreshed:
            endRefresh()
            // The last factor may have been removed since, or the level is known now.
            if phase == .secondFactorNeeded || lacksToken { await follow(change) }
        case .passwordRecovery: break
        }
    }

    /// Does not ask a user who has signed out since.
    private func askForPassword(_ change: AuthChange) async {
        let mine = epoch
        let current = await service.currentSession
        if epoch == mine, let current, current.user.id == change.session?.user.id { needsNewPassword = true }
    }

    /// The end of the session arrives as an event.
    func checkAppleCredential() async { _ = await service.checkAppleCredential(appleCredentials) }

    /// This manager's own sign-in shows its session itself. A late event about a previous user is ignored, because
    /// later events follow.
    private func follow(_ change: AuthChange) async {
        let mine = epoch
        let current = await service.currentSession
        if case .authenticating = phase { return }
        guard epoch == mine, current?.user.id == change.session?.user.id else { return }
        if let session = change.session {
            // The start and this manager's own sign-ins load the profile themselves. Their event may arrive after that load
            // has failed.
            let isAsked = lacksToken || shownSession?.accessToken == session.accessToken
            let isKnown = isProfileLoaded || isLoadingProfile || isAsked
            let isLoaded = user?.id == session.user.id && isKnown
            // A different user, for example through the link in a mail. Work for the previous user must have no effect.
            if let user, user.id != session.user.id {
                epoch += 1
                error = nil
                isNewUser = false
            }
            guard enter(session) else { return }
            if isConfirmed(session.user) { isNewUser = true }
            if !isLoaded || change.event == .userUpdated { loadProfile() }
        } else if case .signedOut(let reason) = change.event {
            if phase != .unauthenticated {
                leave(reason)
            } else if reason != .requested {
                // A late event of a sign-out that was not requested by the user.
                signedOutReason = reason
            }
        } else if phase != .unauthenticated {
            leave(.neverSignedIn)
        }
    }

    func hear(_ notice: AuthNotice) {
        switch notice {
        case .refreshAttempted(let reason):
            record(.refreshAttempted(reason))
            if phase == .authenticated { step(.refreshStarted) }
        case .refreshFailed(let error):
            record(.refreshFailed(AuthError(error).code))
            endRefresh()
        case .storeUnavailable(let problem):
            if phase == .restoring { storeProblem = problem }
        case .storeFailed: break
        }
    }

    /// What failed without a connection loads again as soon as there is one. An app may have cleared ``error`` since.
    func hear(isOffline: Bool) {
        guard !isOffline else { return }
        if !isLoggedIn, hasMissedSettings {
            Task { [weak self] in await self?.loadServerSettings() }
        }
        guard isLoggedIn, !isLoadingProfile else { return }
        let wasOffline = if case .offline = error { true } else { false }
        if wasOffline || !isProfileLoaded { loadProfile() }
    }

    private func endRefresh() {
        if phase == .refreshing { step(.refreshEnded) }
    }
}
