import Foundation
import Gatehouse

struct Opening: Sendable {
    var method: AuthMethod
    var startedAt: Duration
    var isRecorded = false
}

extension AuthManager {
    /// Asks for the second factor first. A shown user is hidden again only if the session's level was unknown.
    ///
    /// - Returns: Whether the user is shown.
    func enter(_ session: AuthSession) -> Bool {
        let other = user.flatMap { $0.id == session.user.id ? nil : $0 }
        if other != nil {
            // The proof would be another account's.
            proofs.answer(.dismissed)
            forgetRequests()
        }
        // A waiting link is part of the sign-in.
        let isIncomplete = session.needsSecondFactor || pendingLink?.userID == session.user.id
        guard isIncomplete, user?.id != session.user.id || lacksToken else {
            show(session.user)
            shownSession = session
            return true
        }
        // Events repeat the question.
        let methods = ProofMethod.factors(of: session.user)
        if secondFactor?.userID != session.user.id || secondFactor?.methods != methods {
            secondFactor = ProofQuestion(userID: session.user.id, need: .secondFactor, methods: methods)
        }
        if allowsSeveralAccounts, let other, !other.isAnonymous { accountBefore = other.id }
        user = nil
        hasAddress = session.user.email != nil
        isProfileLoaded = false
        (signedOutReason, storeProblem, linkQuestion, linkHasExpired) = (nil, nil, nil, false)
        step(.secondFactorNeeded)
        return false
    }

    /// Shown, or asked for the second factor.
    var shownAccount: UUID? { user?.id ?? secondFactor?.userID }

    /// Invalidates the previous account's work.
    func leaveAccount() {
        epoch += 1
        (error, isNewUser) = (nil, false)
        guard allowsSeveralAccounts else { return }
        loading?.cancel()
        isLoadingProfile = false
        (needsNewPassword, asksForPasskey, opening, pendingLink) = (false, false, nil, nil)
    }

    /// They belong to the previous user, except a released one.
    private func forgetRequests() {
        if !consentPoll.isReleased { authorizationRequest = nil }
        consentPoll.forget()
    }

    /// The level is unknown until the refresh.
    var lacksToken: Bool { shownSession?.accessToken.isEmpty == true }

    /// Keeps the same user's profile.
    func show(_ account: AuthUser) {
        var shown = AuthenticatedUser(account)
        if let user, user.id == shown.id {
            shown.keepProfile(of: user)
        } else {
            isProfileLoaded = false
        }
        if user != shown { user = shown }
        if shown.email != nil, asksForEmailCode { asksForEmailCode = false }
        (signedOutReason, storeProblem) = (nil, nil)
        (linkQuestion, secondFactor) = (nil, nil)
        (linkHasExpired, accountBefore) = (false, nil)
        step(.signedIn)
        completeOpening()
    }

    private func completeOpening() {
        guard let opening, !opening.isRecorded else { return }
        self.opening?.isRecorded = true
        record(.completed(opening.method, duration: clock.uptime() - opening.startedAt))
        if opening.method != .anonymous { memory.keep(opening.method.rawValue) }
    }

    func leave(_ reason: SignedOutReason) {
        epoch += 1
        loading?.cancel()
        // A link may have started the app, before its sign-in.
        if isLoggedIn { forgetRequests() }
        user = nil
        isNewUser = false
        isProfileLoaded = false
        isLoadingProfile = false
        needsNewPassword = false
        (linkQuestion, pendingLink) = (nil, nil)
        linkHasExpired = false
        error = nil
        (signedOutReason, storeProblem) = (reason, nil)
        if let opening, !opening.isRecorded { record(.cancelled(opening.method)) }
        (opening, secondFactor, shownSession) = (nil, nil, nil)
        (accountBefore, activated) = (nil, nil)
        (asksForPasskey, asksForEmailCode) = (false, false)
        proofs.answer(.dismissed)
        answerSwitch(false)
        if reason == .consentRevoked { log(.info, "signed_out reason=consent_revoked") }
        step(.signedOut)
    }
}

extension AuthSession {
    /// False without an access token: the refresh determines the level.
    var needsSecondFactor: Bool {
        guard !accessToken.isEmpty else { return false }
        let levels = assurance
        return levels.nextLevel == .aal2 && levels.currentLevel != .aal2
    }
}
