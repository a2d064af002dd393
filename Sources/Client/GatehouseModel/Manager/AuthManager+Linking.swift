import Foundation
import Gatehouse

extension AuthManager {
    /// Answers to ``linkQuestion``.
    public var linking: Linking { Linking(manager: self) }

    /// Answers ``AuthManager/linkQuestion``. See ``AuthManager/linking``.
    ///
    /// Each answer is a sign-in; `.ignored` without a question. Sign-in and link succeed together or not at all. After
    /// a failure the question remains if the server still knows it.
    @MainActor
    public struct Linking {
        let manager: AuthManager
    }
}

extension AuthManager.Linking {
    /// Proves the account, and links the question's identity to it.
    ///
    /// `secondFactorNeeded` postpones the link until the factor is proven.
    ///
    /// ```swift
    /// if let question = manager.linkQuestion, question.signInMethods.contains("password") {
    ///     try await manager.linking.confirm(.password(password))
    /// }
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/wrongCredentials``; ``AuthError/linkExpired``;
    ///   ``AuthError/linkOtherAccount`` after a sign-in to another account, whose session ends.
    @discardableResult
    public func confirm(_ proof: LinkProof) async throws(AuthError) -> SignInOutcome {
        try await answer(proof.method, existing: proof.method) { try await proof.give(manager, $0) }
    }

    /// Emails a code for `LinkProof.code(_:)` to the question's address. Requires `AuthLinkQuestion.canMailCode`.
    ///
    /// ```swift
    /// try await manager.linking.sendCode()
    /// // The user reads the code in the mail.
    /// try await manager.linking.confirm(.code(code))
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``, or ``AuthError/linkExpired``, which
    ///   removes the question.
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

    /// Moves the address to a new account, for a user who does not know the existing one.
    ///
    /// Requires `AuthLinkQuestion.canRecover`. The previous account keeps everything else; its password still signs in
    /// with the address.
    ///
    /// - Throws: As ``confirm(_:)``, and ``AuthError/emailInUse(_:)`` if the address cannot be moved.
    @discardableResult
    public func startOver() async throws(AuthError) -> SignInOutcome {
        let method = manager.linkQuestion.map { AuthMethod(rawValue: $0.provider) } ?? .email
        return try await answer(method) { try await manager.service.recoverAccount(with: $0.ticket) }
    }

    /// Dismisses the question.
    public func dismiss() { manager.linkQuestion = nil }

    /// Links immediately, or after the second factor.
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
            // The user asked for both sign-in and link.
            if manager.epoch == mine { await manager.endSession(of: session.user.id) }
            throw error
        }
    }

    /// Completes the link that waits for this session's proof.
    ///
    /// - Throws: The link's error. The session has ended, and an unexpired question returns.
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

    /// - Parameter existing: The account's previous method; nil if nothing is linked.
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

    private func expire(_ question: AuthLinkQuestion) {
        if manager.linkQuestion == question { (manager.linkQuestion, manager.linkHasExpired) = (nil, true) }
    }
}

/// Waits for its account's second factor.
struct PendingLink {
    let question: AuthLinkQuestion
    let existing: AuthMethod
    let userID: UUID
}
