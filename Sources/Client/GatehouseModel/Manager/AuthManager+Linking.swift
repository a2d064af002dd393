import Foundation
import Gatehouse

extension AuthManager {
    /// Answers to ``linkQuestion``.
    public var linking: Linking { Linking(manager: self) }

    /// Answers to ``AuthManager/linkQuestion``. See ``AuthManager/linking``.
    ///
    /// Each is a sign-in with its phases and telemetry, and returns `.ignored` without a question. After a failure the question
    /// remains, unless the server no longer knows it. A signed-out user stays signed out after a failure: sign-in and link
    /// succeed together or not at all.
    @MainActor
    public struct Linking {
        let manager: AuthManager
    }
}

extension AuthManager.Linking {
    /// The user owns the account, proves it, and gets the identity of the question as a further sign-in method. For an account
    /// with a second factor the result is `secondFactorNeeded`: the link follows when the factor is proven.
    ///
    /// ```swift
    /// if let question = manager.linkQuestion, question.signInMethods.contains("password") {
    ///     try await manager.linking.confirm(.password(password))
    /// }
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/wrongCredentials`` for a wrong password, ``AuthError/linkExpired`` if
    ///   the answer came too late, or ``AuthError/linkOtherAccount`` for a sign-in to another account, which is ended then.
    ///   ``SignInMessage`` has a text for each.
    @discardableResult
    public func confirm(_ proof: LinkProof) async throws(AuthError) -> SignInOutcome {
        try await answer(proof.method, existing: proof.method) { try await proof.give(manager, $0) }
    }

    /// Mails a code for `LinkProof.code(_:)` to the address of the question. Available only if `AuthLinkQuestion.canMailCode` is
    /// true. Does nothing without a question.
    ///
    /// ```swift
    /// try await manager.linking.sendCode()
    /// // The user reads the code in the mail.
    /// try await manager.linking.confirm(.code(code))
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``, or ``AuthError/linkExpired`` if the question
    ///   is too old, which removes it. ``SignInMessage`` has a text for each.
    public func sendCode() async throws(AuthError) {
        guard let question = manager.linkQuestion else { return }
        do {
            try await manager.service.sendLinkCode(for: question.ticket)
        } catch {
            let failure = AuthError(error)
            if failure == .linkExpired { expire(question) }
            throw failure
        }
    }

    /// The user does not know the account but has its address, and starts over with a new account. Available only if
    /// `AuthLinkQuestion.canRecover` is true. The account that has the address keeps everything else; its password still signs in
    /// with it.
    ///
    /// - Throws: As ``confirm(_:)``, and ``AuthError/emailInUse(_:)`` if the address cannot be moved any more.
    @discardableResult
    public func startOver() async throws(AuthError) -> SignInOutcome {
        let method = manager.linkQuestion.map { AuthMethod(rawValue: $0.provider) } ?? .email
        return try await answer(method) { try await manager.service.recoverAccount(with: $0.ticket) }
    }

    /// The user dismisses the question.
    public func dismiss() { manager.linkQuestion = nil }

    /// Links with the session of the sign-in that answers the question, immediately or after its second factor.
    func link(_ question: AuthLinkQuestion, _ method: AuthMethod, with session: AuthSession) async throws -> AuthSession
    {
        if session.needsSecondFactor {
            manager.pendingLink = PendingLink(question: question, existing: method, userID: session.user.id)
            return session
        }
        let mine = manager.epoch
        do {
            return try await manager.service.confirmLink(question.ticket)
        } catch {
            // The sign-in succeeded but the link failed. The user asked for both, so end the session, unless
            // another user has signed in.
            if manager.epoch == mine { await manager.endSession(of: session.user.id) }
            throw error
        }
    }

    /// Makes the link that has waited for the proof of this session, if there is one.
    ///
    /// - Returns: The session with the link.
    /// - Throws: The error of the link. The session has ended then, as after a sign-in without a second factor, and the
    ///   question is there again, unless it has expired.
    func complete(after session: AuthSession) async throws -> AuthSession {
        guard let pending = manager.pendingLink, pending.userID == session.user.id else { return session }
        let mine = manager.epoch
        do {
            let linked = try await manager.service.confirmLink(pending.question.ticket)
            guard manager.epoch == mine else { throw AuthError.cancelled }
            manager.pendingLink = nil
            manager.record(.linked(existing: pending.existing, new: AuthMethod(rawValue: pending.question.provider)))
            return linked
        } catch {
            guard manager.epoch == mine else { throw error }
            await manager.signOut()
            let failure = AuthError(error)
            if manager.phase == .unauthenticated {
                if failure == .linkExpired {
                    manager.linkHasExpired = true
                } else {
                    manager.linkQuestion = pending.question
                }
                manager.error = failure
            }
            throw failure
        }
    }

    /// - Parameter existing: The account's previous sign-in method; nil if nothing is linked.
    private func answer(
        _ method: AuthMethod, existing: AuthMethod? = nil,
        _ work: @MainActor (AuthLinkQuestion) async throws -> AuthSession
    ) async throws(AuthError) -> SignInOutcome {
        guard let question = manager.linkQuestion else { return .ignored }
        do throws(AuthError) {
            let outcome = try await manager.authenticate(method) { .session(try await work(question)) }
            if outcome == .signedIn, let existing {
                manager.record(.linked(existing: existing, new: AuthMethod(rawValue: question.provider)))
            }
            return outcome
        } catch {
            if error == .linkExpired { expire(question) }
            throw error
        }
    }

    /// Ends a question that the server no longer knows.
    private func expire(_ question: AuthLinkQuestion) {
        if manager.linkQuestion == question { (manager.linkQuestion, manager.linkHasExpired) = (nil, true) }
    }
}

/// A question whose account has a second factor, after the user has signed in to that account.
struct PendingLink {
    let question: AuthLinkQuestion
    /// The method of that sign-in.
    let existing: AuthMethod
    let userID: UUID
}
