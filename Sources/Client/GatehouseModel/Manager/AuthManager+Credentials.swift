import Gatehouse

/// The result of changing the email address.
public enum EmailChange: Hashable, Sendable {
    /// The account has the new address.
    case changed
    /// The new address awaits confirmation.
    case checkMail
}

extension AuthManager {
    /// The account's email address and password.
    public var credentials: Credentials { Credentials(manager: self) }

    /// Changes email address and password. See ``AuthManager/credentials``.
    @MainActor
    public struct Credentials {
        let manager: AuthManager
    }
}

extension AuthManager.Credentials {
    /// Changes the account's email address.
    ///
    /// - Parameter current: The password, after ``AuthError/currentPasswordRequired``.
    /// - Throws: ``AuthError``, such as ``AuthError/emailInUse(_:)``. After ``AuthError/offline(_:)`` the address may
    ///   be changed.
    public func changeEmail(_ email: String, current: String? = nil) async throws(AuthError) -> EmailChange {
        let change = AuthUserAttributes(email: email, currentPassword: current)
        let account = try await manager.changing { try await manager.service.update(user: change) }
        return account.email?.lowercased() == email.lowercased() ? .changed : .checkMail
    }

    /// Sets or changes the account's password, and ends the user's other sessions.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 1,024 bytes.
    ///   - current: The current one, after ``AuthError/currentPasswordRequired``.
    ///   - code: From ``sendCode()``, after ``AuthError/codeRequired``.
    /// - Throws: As ``changeEmail(_:current:)``, and ``AuthError/weakPassword(_:)`` or ``AuthError/samePassword``.
    public func changePassword(_ password: String, current: String? = nil, code: String? = nil) async throws(AuthError)
    {
        let change = AuthUserAttributes(password: password, currentPassword: current, nonce: code)
        _ = try await manager.changing { try await manager.service.update(user: change) }
    }

    /// Emails a code to the account's address.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/rateLimited(retryAfter:)``.
    public func sendCode() async throws(AuthError) {
        try await manager.changing { try await manager.service.reauthenticate() }
    }

    /// Confirms a change of email address with an emailed code.
    ///
    /// - Parameter email: The recipient: the new address or the current one.
    /// - Returns: ``EmailChange/checkMail`` if the other address must also be confirmed.
    /// - Throws: As ``changeEmail(_:current:)``, and ``AuthError/codeWrong``.
    public func confirmEmail(
        withCode code: String, sentTo email: String
    ) async throws(AuthError) -> EmailChange {
        let answer = try await manager.changing {
            try await manager.service.verify(code: code, sentTo: email, for: .emailChange)
        }
        return answer.session == nil ? .checkMail : .changed
    }

    /// Postpones the code (``AuthManager/asksForEmailCode``).
    public func dismissCode() { manager.asksForEmailCode = false }

    /// Sends the emails for ``AuthenticatedUser/newEmail``, if any, again. Earlier codes become void.
    ///
    /// - Throws: As ``changeEmail(_:current:)``, and ``AuthError/rateLimited(retryAfter:)``.
    public func resendEmailChange() async throws(AuthError) {
        guard let user = manager.user else { throw .notAuthenticated }
        guard let new = user.newEmail else { return }
        // The server finds the account by its current address.
        guard let current = user.email else {
            _ = try await changeEmail(new)
            return
        }
        try await manager.changing { try await manager.service.resendEmailChange(of: current) }
    }
}
