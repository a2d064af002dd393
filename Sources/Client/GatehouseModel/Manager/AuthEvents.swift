import Gatehouse

extension AuthManager {
    var events: AuthEvents { AuthEvents(manager: self) }
}

/// A manager's reactions to events of its service, of the system and of the connection.
@MainActor
struct AuthEvents {
    let manager: AuthManager

    func hear(_ change: AuthChange) async {
        manager.recent.keep(change.event.line, at: manager.clock.now())
        // No later event repeats this, and ``AuthManager/catchUp()`` shows its user.
        if change.event == .passwordRecovery { return await askForPassword(change) }
        guard manager.signOutCount == 0 else { return }
        defer { manager.accountsChanged(after: change.event) }
        switch change.event {
        case .initialSession:
            await follow(change)
            // Not awaited: the system may be slow, and must not delay later events.
            Task { [weak manager] in await manager?.events.checkAppleCredential() }
        case .signedIn, .userUpdated, .signedOut, .mfaChallengeVerified: await follow(change)
        case .tokenRefreshed:
            endRefresh()
            // The last factor may have been removed since, or the level is known now.
            if manager.phase == .secondFactorNeeded || manager.lacksToken { await follow(change) }
        case .passwordRecovery: break
        }
    }

    /// Does not ask a user who has signed out since.
    private func askForPassword(_ change: AuthChange) async {
        let mine = manager.epoch
        let current = await manager.service.currentSession
        if manager.epoch == mine, let current, current.user.id == change.session?.user.id {
            manager.needsNewPassword = true
        }
    }

    /// The end of the session arrives as an event.
    func checkAppleCredential() async { _ = await manager.service.checkAppleCredential(manager.appleCredentials) }

    /// This manager's own sign-in shows its session itself. A late event about a previous user is ignored, because
    /// later events follow.
    private func follow(_ change: AuthChange) async {
        let mine = manager.epoch
        let current = await manager.service.currentSession
        guard manager.isActivating || !manager.isSigningIn else {
            if case .signedOut(let reason) = change.event { manager.endedMeanwhile = reason }
            return
        }
        guard manager.epoch == mine, current?.user.id == change.session?.user.id else { return }
        if let session = change.session {
            // The start and this manager's own sign-ins load the profile themselves. Their event may arrive after that load
            // has failed.
            let isAsked = manager.lacksToken || manager.shownSession?.accessToken == session.accessToken
            let isKnown = manager.isProfileLoaded || manager.isLoadingProfile || isAsked
            let isLoaded = manager.user?.id == session.user.id && isKnown
            // A different user, for example through the link in a mail. Work for the previous user must have no effect.
            let shown = manager.allowsSeveralAccounts ? manager.shownAccount : manager.user?.id
            if let shown, shown != session.user.id { manager.leaveAccount() }
            guard manager.enter(session) else { return }
            if manager.isConfirmed(session.user) { manager.isNewUser = true }
            if !isLoaded || change.event == .userUpdated { manager.loadProfile() }
        } else if case .signedOut(let reason) = change.event {
            if manager.phase != .unauthenticated {
                manager.leave(reason)
            } else if reason != .requested {
                // A late event of a sign-out that was not requested by the user.
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

    /// Repeats the loads that failed without a connection. An app may have cleared `AuthManager.error` since.
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
