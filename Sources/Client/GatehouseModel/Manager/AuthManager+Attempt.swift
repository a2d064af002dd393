import Foundation
import Gatehouse

extension AuthManager {
    /// An anonymous user is asked first.
    ///
    /// - Parameter address: A new account's; empty if not entered yet.
    func authenticate(
        _ method: AuthMethod, signingUp address: String? = nil, _ work: @MainActor () async throws -> SessionOrUser
    ) async throws(AuthError) -> SignInOutcome {
        guard isAnonymous, !isSwitching else { return try await attempt(method, signingUp: address, work) }
        guard await wantsSwitch(to: nil) else {
            if couldAskForSwitch { return .cancelled }
            throw .alreadySignedIn
        }
        return try await attemptAnonymously(method, signingUp: address, work)
    }

    /// - Parameter upgrade: Adds the sign-in method to an anonymous account instead.
    func authenticate(
        _ method: AuthMethod, signingUp address: String? = nil,
        upgradingBy upgrade: @MainActor () async throws -> SessionOrUser,
        _ work: @MainActor () async throws -> SessionOrUser
    ) async throws(AuthError) -> SignInOutcome {
        guard isAnonymous, !isSwitching else { return try await attempt(method, signingUp: address, work) }
        do throws(AuthError) {
            return try await attemptAnonymously(method, signingUp: address, upgrade)
        } catch {
            // The provider's user has an account here.
            guard method != .email, case .emailInUse = error, await wantsSwitch(to: nil) else { throw error }
        }
        return try await attemptAnonymously(method, signingUp: address, work)
    }

    private func attemptAnonymously(
        _ method: AuthMethod, signingUp address: String?, _ work: @MainActor () async throws -> SessionOrUser
    ) async throws(AuthError) -> SignInOutcome {
        isSwitching = true
        defer { isSwitching = false }
        return try await attempt(method, signingUp: address, work)
    }

    private func attempt(
        _ method: AuthMethod, signingUp address: String?, _ work: @MainActor () async throws -> SessionOrUser
    ) async throws(AuthError) -> SignInOutcome {
        let replaces = (isSwitching || addingScreens > 0) && isLoggedIn
        guard !isActivating, replaces ? !isReplacing : step(.begin(method)) else {
            if !replaces, isLoggedIn, !isActivating { throw .alreadySignedIn }
            return .ignored
        }
        if replaces { beginReplacing() }
        defer { if replaces { isReplacing = false } }
        epoch += 1
        let (mine, startedAt) = (epoch, clock.uptime())
        error = nil
        (linkHasExpired, pendingLink, activated) = (false, nil, nil)
        record(.started(method))
        do {
            guard let session = try await work().session else {
                if epoch == mine {
                    unconfirmedAddress = address
                    await fail()
                }
                return .checkMail
            }
            guard epoch == mine else { throw AuthError.cancelled }
            opening = Opening(method: method, startedAt: startedAt)
            guard enter(session) else { return .secondFactorNeeded }
            let isConfirmed = isConfirmed(session.user)
            isNewUser = address != nil || isConfirmed || method.mayCreateAccount && session.user.isNew
            loadProfile()
            return .signedIn
        } catch {
            return try await failed(error, of: method, begunIn: mine)
        }
    }

    /// The current user stays until the sign-in has succeeded.
    func beginReplacing() {
        isReplacing = true
        endedMeanwhile = nil
        // Its result would belong to an earlier epoch.
        loading?.cancel()
        isLoadingProfile = false
    }

    private func failed(
        _ error: any Error, of method: AuthMethod, begunIn mine: Int
    ) async throws(AuthError) -> SignInOutcome {
        // A sign-out or another sign-in took precedence.
        let failure = epoch == mine ? AuthError(error) : .cancelled
        if epoch == mine {
            if case .emailInUse(let question?) = failure { linkQuestion = question }
            await fail()
        }
        guard failure != .cancelled else {
            record(.cancelled(method))
            return .cancelled
        }
        record(.failed(method, failure.code))
        throw failure
    }

    /// Completes an unconfirmed sign-up, at most once.
    func isConfirmed(_ user: AuthUser) -> Bool {
        defer { unconfirmedAddress = nil }
        guard let address = unconfirmedAddress?.lowercased() else { return false }
        return address == user.email?.lowercased() || address == AuthenticatedUser(user).phone
    }

    func fail() async {
        guard isLoggedIn else {
            step(.fail)
            return await catchUp()
        }
        // Events were ignored during the attempt.
        let (mine, question) = (epoch, linkQuestion)
        var session = await service.currentSession
        if session == nil, allowsSeveralAccounts, let user {
            // Ignored: the user is then signed out below.
            session = try? await service.use(account: user.id)
        }
        guard epoch == mine, signOutCount == 0 else { return }
        guard let session else { return leave(endedMeanwhile ?? .neverSignedIn) }
        if session.user.id != user?.id {
            epoch += 1
            isNewUser = false
        }
        guard enter(session) else { return }
        linkQuestion = question
        if !isProfileLoaded { loadProfile() }
    }
}

extension AuthUser {
    /// The protocol's only sign of a new account: both times within five seconds.
    fileprivate var isNew: Bool {
        guard let last = times.lastSignInAt else { return false }
        return abs(last.timeIntervalSince(createdAt)) < 5
    }
}

extension AuthMethod {
    /// Passwords and passkeys belong to existing accounts; a new number's account is older than its code.
    fileprivate var mayCreateAccount: Bool { ![.email, .phone, .passkey].contains(self) }
}
