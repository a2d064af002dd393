public import Foundation
public import Gatehouse

// Answers to ``linkQuestion``. Each is a sign-in with its phases and telemetry, and returns `.ignored` without a
// question. After a failure the question remains, unless the server no longer knows it. A signed-out user stays signed
// out after a failure: sign-in and link succeed together or not at all.
extension AuthManager {
    /// The user owns the account and enters its password. For an account with a second factor the result is
    /// `secondFactorNeeded`: the link follows when the factor is proven.
    ///
    /// ```swift
    /// if let question = manager.linkQuestion, question.signInMethods.contains("password") {
    ///     try await manager.confirmLink(password: password)
    /// }
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/wrongCredentials`` for a wrong password, or ``AuthError/linkExpired`` if
    ///   the answer came too late. ``SignInMessage`` has a text for each.
    @discardableResult
    public func confirmLink(password: String) async throws(AuthError) -> SignInOutcome {
        try await answer(.email, existing: .email) { question in
            do {
                return try await self.service.confirmLink(question.ticket, email: question.email, password: password)
            } catch  where AuthError(error) == .secondFactorNeeded {
                let session = try await self.service.signIn(email: question.email, password: password)
                return try await self.link(question, .email, with: session)
            }
        }
    }

    /// The user owns the account and can read its mail: mails a code to the address of ``linkQuestion``. Available only if
    /// `LinkQuestion.canMailCode` is true. Does nothing without a question.
    ///
    /// ```swift
    /// try await manager.sendLinkCode()
    /// // The user reads the code in the mail.
    /// try await manager.confirmLink(code: code)
    /// ```
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``, or ``AuthError/linkExpired`` if the question
    ///   is too old, which removes it. ``SignInMessage`` has a text for each.
    public func sendLinkCode() async throws(AuthError) {
        guard let question = linkQuestion else { return }
        do {
            try await service.sendLinkCode(for: question.ticket)
        } catch {
            let failure = AuthError(error)
            if failure == .linkExpired { expire(question) }
            throw failure
        }
    }

    /// The user owns the account and enters the code of ``sendLinkCode()``, which does not suffice for an account with a
    /// second factor. If no one had proven the account's address before, its password and passkeys are set aside.
    ///
    /// - Throws: As ``confirmLink(password:)``, and ``AuthError/codeWrong``.
    @discardableResult
    public func confirmLink(code: String) async throws(AuthError) -> SignInOutcome {
        try await answer(.email, existing: .email) { try await self.service.confirmLink($0.ticket, code: code) }
    }

    /// The user owns the account and enters the code that was mailed when ``confirmLink(password:)`` was refused with
    /// ``AuthError/credentialSetAside(_:)``, which restores the password.
    ///
    /// - Throws: As ``confirmLink(code:)``.
    @discardableResult
    public func confirmLink(code: String, password: String) async throws(AuthError) -> SignInOutcome {
        try await answer(.email, existing: .email) { question in
            let answer = try await self.service.verify(
                code: code, sentTo: question.email, for: .email, password: password)
            return try await self.link(question, .email, with: try answer.opened)
        }
    }

    /// The user owns the account and enters the code that was mailed when ``confirmLink(throughPasskey:)`` was refused with
    /// ``AuthError/credentialSetAside(_:)``, which restores the passkey.
    ///
    /// - Throws: As ``confirmLink(code:)``.
    @discardableResult
    public func confirmLink(
        code: String, restoring ticket: SetAsideTicket
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: .passkey) {
            try await self.service.verify(code: code, restoring: ticket).opened
        }
    }

    /// The user owns the account and signs in to it with Apple.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``confirmLink(password:)``, and ``AuthError/linkOtherAccount`` for another account. The user is signed out then, because sign-in and link succeed together or not at all.
    @discardableResult
    public func confirmLink(
        throughApple sheet: @MainActor () async throws -> AppleCredential
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: .apple) {
            try await self.service.signIn(with: try await self.credentials(from: sheet))
        }
    }

    /// The user owns the account and signs in to it with Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``confirmLink(password:)``, and ``AuthError/linkOtherAccount`` for another account. The user is signed out then, because sign-in and link succeed together or not at all.
    @discardableResult
    public func confirmLink(
        throughGoogle sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: .google) { try await self.service.signIn(with: try await sheet()) }
    }

    /// The user owns the account and signs in to it with Google in a browser.
    ///
    /// - Throws: As ``confirmLink(throughGoogle:)``.
    @discardableResult
    public func confirmLink(throughGoogleIn browser: any WebAuthenticator) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: .google, in: browser)
    }

    /// The user owns the account and signs in to it with any provider in a browser.
    ///
    /// - Throws: As ``confirmLink(throughGoogle:)``.
    @discardableResult
    public func confirmLink(
        through provider: Provider, in browser: any WebAuthenticator
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: AuthMethod(provider)) {
            try await self.service.signIn(with: provider, in: browser)
        }
    }

    /// The user owns the account and signs in to it with Google in the app's own browser.
    ///
    /// - Parameters: As for ``signInWithGoogle(redirectTo:browser:)``.
    /// - Throws: As ``confirmLink(throughGoogle:)``.
    @discardableResult
    public func confirmLink(
        throughGoogleTo redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(throughGoogleIn: AppsOwnBrowser(redirectTo: redirectTo, open: browser))
    }

    /// The user owns the account and signs in to it with a passkey. Available only if `LinkQuestion.canUsePasskey` is true.
    ///
    /// - Returns: `.cancelled` if the user closed the sheet.
    /// - Throws: As ``confirmLink(throughGoogle:)``, and ``AuthError/passkeyRefused``.
    @discardableResult
    public func confirmLink(
        throughPasskey passkeys: any PasskeyAuthenticator
    ) async throws(AuthError) -> SignInOutcome {
        try await confirmLink(through: .passkey) {
            let assertion = try await self.service.passkeyAssertion(with: passkeys, style: .sheet)
            return try await self.service.signIn(with: assertion)
        }
    }

    /// The user does not know the account but has its address, and starts over with a new account. Available only if
    /// `LinkQuestion.canRecover` is true. The account that has the address keeps everything else; its password still signs in
    /// with it.
    ///
    /// - Throws: As ``confirmLink(password:)``, and ``AuthError/emailInUse(_:)`` if the address cannot be moved any more.
    @discardableResult
    public func recoverAccount() async throws(AuthError) -> SignInOutcome {
        let method = linkQuestion.map { AuthMethod(rawValue: $0.provider) } ?? .email
        return try await answer(method) { try await self.service.recoverAccount(with: $0.ticket) }
    }

    /// The user dismisses the question.
    public func dismissLinkQuestion() { linkQuestion = nil }

    private func confirmLink(
        through method: AuthMethod, _ signIn: @MainActor () async throws -> Session
    ) async throws(AuthError) -> SignInOutcome {
        try await answer(method, existing: method) { question in
            try await self.link(question, method, with: try await signIn())
        }
    }

    /// Links with the session of a sign-in that answers the question, at once or when its second factor is proven.
    private func link(
        _ question: LinkQuestion, _ method: AuthMethod, with session: Session
    ) async throws -> Session {
        if session.needsSecondFactor {
            pendingLink = PendingLink(question: question, existing: method, userID: session.user.id)
            return session
        }
        let mine = epoch
        do {
            return try await service.confirmLink(question.ticket)
        } catch {
            // The sign-in succeeded but the link failed. The user asked for both, so end the session, unless
            // another user has signed in meanwhile.
            if epoch == mine { await endSession() }
            throw error
        }
    }

    /// Makes the link that has waited for the proof of this session, if there is one.
    ///
    /// - Returns: The session with the link.
    /// - Throws: The error of the link. The session has ended then, as after a sign-in without a second factor, and the
    ///   question is there again, unless it has expired.
    func linking(after session: Session) async throws -> Session {
        guard let pending = pendingLink, pending.userID == session.user.id else { return session }
        let mine = epoch
        do {
            let linked = try await service.confirmLink(pending.question.ticket)
            guard epoch == mine else { throw AuthError.cancelled }
            pendingLink = nil
            record(.linked(existing: pending.existing, new: AuthMethod(rawValue: pending.question.provider)))
            return linked
        } catch {
            guard epoch == mine else { throw error }
            await signOut()
            let failure = AuthError(error)
            if phase == .unauthenticated {
                if failure == .linkExpired { linkHasExpired = true } else { linkQuestion = pending.question }
                self.error = failure
            }
            throw failure
        }
    }

    /// - Parameter existing: The account's previous sign-in method; nil if nothing is linked.
    private func answer(
        _ method: AuthMethod, existing: AuthMethod? = nil,
        _ work: @MainActor (LinkQuestion) async throws -> Session
    ) async throws(AuthError) -> SignInOutcome {
        guard let question = linkQuestion else { return .ignored }
        do throws(AuthError) {
            let outcome = try await authenticate(method) { .session(try await work(question)) }
            if outcome == .signedIn, let existing {
                record(.linked(existing: existing, new: AuthMethod(rawValue: question.provider)))
            }
            return outcome
        } catch {
            if error == .linkExpired { expire(question) }
            throw error
        }
    }

    /// Ends a question that the server no longer knows.
    private func expire(_ question: LinkQuestion) {
        if linkQuestion == question { (linkQuestion, linkHasExpired) = (nil, true) }
    }
}

extension AuthResponse {
    /// The session of a redeemed code that signs in.
    fileprivate var opened: Session {
        get throws {
            guard let session else { throw AuthClientError.unexpectedAnswer("session.access_token: expected a string") }
            return session
        }
    }
}

/// A question whose account has a second factor, after the user has signed in to that account.
struct PendingLink {
    let question: LinkQuestion
    /// The method of that sign-in.
    let existing: AuthMethod
    let userID: UUID
}
