import Foundation
public import Gatehouse

// Sign-ins with the code of a mail. The link of the same mail does the same; see ``Mail/openLink(_:)``.
extension AuthManager {
    /// Signs in with a code: of the confirmation mail of a sign-up, or of ``Mail/sendSignIn(to:)``.
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
        withCode code: String, restoring ticket: AuthSetAsideTicket
    ) async throws(AuthError) -> SignInOutcome {
        try await redeem(by: .passkey) { try await self.service.verify(code: code, restoring: ticket) }
    }

    /// Signs in with the code of ``Mail/sendPasswordReset(to:)``. ``needsNewPassword`` is then set.
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func resetPassword(withCode code: String, sentTo email: String) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .recovery) }
    }

    private func redeem(
        by method: AuthMethod = .email, _ verify: @MainActor () async throws -> SessionOrUser
    ) async throws(AuthError) -> SignInOutcome {
        var opened: AuthUser?
        let outcome = try await authenticate(method) {
            let answer = try await verify()
            opened = answer.session?.user
            return answer
        }
        if outcome == .signedIn, opened?.isFirstConfirmed == true { isNewUser = true }
        return outcome
    }
}

extension AuthUser {
    /// Whether the last sign-in was the one that confirmed the address.
    fileprivate var isFirstConfirmed: Bool {
        guard let confirmed = times.emailConfirmedAt, let last = times.lastSignInAt else { return false }
        return abs(last.timeIntervalSince(confirmed)) < 5
    }
}
