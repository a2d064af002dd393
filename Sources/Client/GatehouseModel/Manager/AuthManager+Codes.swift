import Foundation
public import Gatehouse

// Mails with a code. The link of the same mail does the same; see ``openMailLink(_:)``.
extension AuthManager {
    /// Sends a mail with a code and a link to sign in with, to a new or an existing user. Does not reveal whether the
    /// address has an account.
    ///
    /// ```swift
    /// try await account.sendSignInMail(to: email)
    /// // The user reads the code in the mail.
    /// try await account.signIn(withCode: code, sentTo: email)
    /// ```
    ///
    /// - Throws: As ``sendPasswordMail(to:)``.
    public func sendSignInMail(to email: String) async throws(AuthError) {
        do { try await service.sendSignInMail(to: email) } catch { throw AuthError(error) }
    }

    /// Signs in with a code: of the confirmation mail of a sign-up, or of ``sendSignInMail(to:)``.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/codeWrong``. ``SignInMessage`` has a text for each.
    @discardableResult
    public func signIn(withCode code: String, sentTo email: String) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .email) }
    }

    /// Signs in with a code, and with the password that the user typed before: that of a sign-up, or the one that was refused
    /// with ``AuthError/credentialSetAside(_:)``. The account then has this password, if it is one that waits or is set
    /// aside; any other changes nothing.
    ///
    /// ```swift
    /// do throws(AuthError) {
    ///     try await account.signInWithEmail(email, password: password)
    /// } catch .credentialSetAside {
    ///     // The user reads the code in the mail.
    ///     try await account.signIn(withCode: code, sentTo: email, password: password)
    /// }
    /// ```
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func signIn(
        withCode code: String, sentTo email: String, password: String
    ) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .email, password: password) }
    }

    /// Signs in with the code that was mailed when a passkey was refused with ``AuthError/credentialSetAside(_:)``, and
    /// restores the passkey.
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func signIn(
        withCode code: String, restoring ticket: SetAsideTicket
    ) async throws(AuthError) -> SignInOutcome {
        try await redeem(by: .passkey) { try await self.service.verify(code: code, restoring: ticket) }
    }

    /// Signs in with the code of ``sendPasswordMail(to:)``. ``needsNewPassword`` is then set.
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func resetPassword(withCode code: String, sentTo email: String) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .recovery) }
    }

    private func redeem(
        by method: AuthMethod = .email, _ verify: @MainActor () async throws -> AuthResponse
    ) async throws(AuthError) -> SignInOutcome {
        var opened: User?
        let outcome = try await authenticate(method) {
            let answer = try await verify()
            opened = answer.session?.user
            return answer
        }
        if outcome == .signedIn, opened?.isFirstConfirmed == true { isNewUser = true }
        return outcome
    }

    /// Confirms the change of the account's email address with the code of a mail.
    ///
    /// - Parameter email: The address that got the mail: the new one, or the current one.
    /// - Returns: ``EmailChange/checkMail`` if the mail to the other address must be confirmed, too.
    /// - Throws: As ``changeEmail(_:current:)``, and ``AuthError/codeWrong``.
    public func confirmEmailChange(
        withCode code: String, sentTo email: String
    ) async throws(AuthError) -> EmailChange {
        let answer = try await changing {
            try await self.service.verify(code: code, sentTo: email, for: .emailChange)
        }
        return answer.session == nil ? .checkMail : .changed
    }

    /// Sends the mails of the pending email change (``AuthenticatedUser/newEmail``) again. Earlier codes become void. Does
    /// nothing if no change is pending.
    ///
    /// - Throws: As ``changeEmail(_:current:)``, and ``AuthError/rateLimited(retryAfter:)``.
    public func resendEmailChange() async throws(AuthError) {
        guard let user else { throw .notAuthenticated }
        guard let new = user.newEmail else { return }
        // The server finds the account by its current address.
        guard let current = user.email else {
            _ = try await changeEmail(new)
            return
        }
        try await changing { try await self.service.resendEmailChange(of: current) }
    }
}

extension User {
    /// Whether the last sign-in was the one that confirmed the address.
    fileprivate var isFirstConfirmed: Bool {
        guard let confirmed = times.emailConfirmedAt, let last = times.lastSignInAt else { return false }
        return abs(last.timeIntervalSince(confirmed)) < 5
    }
}
