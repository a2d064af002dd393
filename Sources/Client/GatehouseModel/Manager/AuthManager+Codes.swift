import Foundation
public import Gatehouse

extension AuthManager {
    /// Signs in with the code of a confirmation email or of ``Mail/sendSignIn(to:)``.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/codeWrong``.
    @discardableResult
    public func signIn(withCode code: String, sentTo email: String) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .email) }
    }

    /// Signs in with a code and a password: a sign-up's, or one rejected with ``AuthError/credentialSetAside(_:)``.
    ///
    /// The account adopts a waiting or set-aside password; any other is ignored.
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

    /// Signs in with the code emailed after a passkey's ``AuthError/credentialSetAside(_:)``, and restores it.
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func signIn(
        withCode code: String, restoring ticket: AuthSetAsideTicket
    ) async throws(AuthError) -> SignInOutcome {
        try await redeem(by: .passkey) { try await self.service.verify(code: code, restoring: ticket) }
    }

    /// Signs in with the code from ``Mail/sendPasswordReset(to:)``, and sets ``needsNewPassword``.
    ///
    /// - Throws: As ``signIn(withCode:sentTo:)``.
    @discardableResult
    public func resetPassword(withCode code: String, sentTo email: String) async throws(AuthError) -> SignInOutcome {
        try await redeem { try await self.service.verify(code: code, sentTo: email, for: .recovery) }
    }

    func redeem(
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
    fileprivate var isFirstConfirmed: Bool {
        guard let last = times.lastSignInAt else { return false }
        return [times.emailConfirmedAt, times.phoneConfirmedAt].contains { confirmed in
            confirmed.map { abs(last.timeIntervalSince($0)) < 5 } ?? false
        }
    }
}
