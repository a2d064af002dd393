import Gatehouse

extension AuthManager {
    var events: AuthEvents { AuthEvents(manager: self) }
}

@MainActor
struct AuthEvents {
    let manager: AuthManager

    func hear(_ change: AuthChange) async {
        manager.recent.keep(change.event.line, at: manager.clock.now())
        // No later event repeats this.
        if change.event == .passwordRecovery { return await askForPassword(change) }
        guard manager.signOutCount == 0 else { return }
        defer { manager.accountsChanged(after: change.event) }
        switch change.event {
        case .initialSession:
            await follow(change)
            // A slow system must not delay later events.
            Task { [weak manager] in await manager?.events.checkAppleCredential() }
        case .signedIn, .userUpdated, .signedOut, .mfaChallengeVerified: await follow(change)
        case .tokenRefreshed:
            endRefresh()
            // The last factor may be gone, or the level known.
            if manager.phase == .secondFactorNeeded || manager.lacksToken { await follow(change) }
        case .passwordRecovery: break
        }
    }

    /// Unless the user has signed out since.
    private func askForPassword(_ change: AuthChange) async {
        let mine = manager.epoch
        let current = await manager.service.currentSession
        if manager.epoch == mine, let current, current.user.id == change.session?.user.id {
            manager.needsNewPassword = true
        }
    }

    /// The session's end arrives as an event.
    func checkAppleCredential() async { _ = await manager.service.checkAppleCredential(manager.appleCredentials) }

    /// This manager's own sign-in shows its session itself.
    private func follow(_ change: AuthChange) async {
        let mine = manager.epoch
        let current = await manager.service.currentSession
        guard manager.isActivating || !manager.isSigningIn else {
            if case .signedOut(let reason) = change.event { manager.endedMeanwhile = reason }
            return
        }
        guard manager.epoch == mine, current?.user.id == change.session?.user.id else { return }
        if let session = change.session {
            // The start and sign-ins load the profile themselves, possibly before their event.
            let isAsked = manager.lacksToken || manager.shownSession?.accessToken == session.accessToken
            let isKnown = manager.isProfileLoaded || manager.isLoadingProfile || isAsked
            let isLoaded = manager.user?.id == session.user.id && isKnown
            // A different user, for example from an emailed link.
            let shown = manager.allowsSeveralAccounts ? manager.shownAccount : manager.user?.id
            if let shown, shown != session.user.id { manager.leaveAccount() }
            guard manager.enter(session) else { return }
            if manager.isConfirmed(session.user) { manager.isNewUser = true }
            if !isLoaded || change.event == .userUpdated { manager.loadProfile() }
        } else if case .signedOut(let reason) = change.event {
            if manager.phase != .unauthenticated {
                manager.leave(reason)
            } else if reason != .requested {
                // The late event of a sign-out that the user did not request.
                manager.signedOutReason = reason
            }
        } else if manager.phase != .unauthenticated {
            manager.leave(.neverSignedIn)
        }
    }

    func hear(_ notice: AuthNotice) {
        switch notice {
        case .refreshAttempted(let reason):
            manager.record(.refreshAttempted(reason))
            if manager.phase == .authenticated { manager.step(.refreshStarted) }
        case .refreshFailed(let error):
            manager.record(.refreshFailed(AuthError(error).code))
            endRefresh()
        case .storeUnavailable(let problem):
            manager.recent.keep("store_unavailable", at: manager.clock.now())
            if manager.phase == .restoring { manager.storeProblem = problem }
        case .sessionEnded(let refusal): manager.ending = SessionEnding(refusal: refusal, time: manager.clock.now())
        case .storeFailed: manager.recent.keep("store_failed", at: manager.clock.now())
        }
    }

    /// Repeats the loads that failed offline.
    func hear(isOffline: Bool) {
        guard !isOffline else { return }
        if !manager.isLoggedIn, manager.hasMissedSettings {
            Task { [weak manager] in await manager?.loadServerSettings() }
        }
        guard manager.isLoggedIn, !manager.isLoadingProfile else { return }
        let wasOffline = if case .offline = manager.error { true } else { false }
        if wasOffline || !manager.isProfileLoaded { manager.loadProfile() }
    }

    private func endRefresh() {
        if manager.phase == .refreshing { manager.step(.refreshEnded) }
    }
}
