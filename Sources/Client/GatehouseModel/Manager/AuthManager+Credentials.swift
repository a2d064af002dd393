import Gatehouse

/// The result of changing the email address.
public enum EmailChange: Hashable, Sendable {
    /// The account has the new address.
    case changed
    /// The account gets the new address after the user enters the code of the confirmation mail, or opens its link.
    case checkMail
}

extension AuthManager {
    /// The account's email address and password.
    public var credentials: Credentials { Credentials(manager: self) }

    /// The account's email address and password. See ``AuthManager/credentials``.
    @MainActor
    public struct Credentials {
        let manager: AuthManager
    }
}

extension AuthManager.Credentials {
    /// Changes the account's email address.
    ///
    /// - Parameter current: The account's password, after ``AuthError/currentPasswordRequired``.
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, ``AuthError/emailInUse(_:)`` or
    ///   ``AuthError/currentPasswordRequired``. ``SignInMessage/init(changing:)`` has a text for each. Nothing changed
    ///   then, unless the response was lost.
    public func changeEmail(_ email: String, current: String? = nil) async throws(AuthError) -> EmailChange {
        let change = AuthUserAttributes(email: email, currentPassword: current)
        let account = try await manager.changing { try await manager.service.update(user: change) }
        return account.email?.lowercased() == email.lowercased() ? .changed : .checkMail
    }

    /// Sets or changes the account's password. Ends the user's other sessions.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 1,024 bytes.
    ///   - current: The current password, after ``AuthError/currentPasswordRequired``.
    ///   - code: The code from ``sendCode()``, after ``AuthError/codeRequired``.
    /// - Throws: As ``changeEmail(_:current:)``, also ``AuthError/weakPassword(_:)`` or ``AuthError/samePassword``.
    public func changePassword(_ password: String, current: String? = nil, code: String? = nil) async throws(AuthError)
    {
        let change = AuthUserAttributes(password: password, currentPassword: current, nonce: code)
        _ = try await manager.changing { try await manager.service.update(user: change) }
    }

    /// Sends a code to the account's email address.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/rateLimited(retryAfter:)``.
    public func sendCode() async throws(AuthError) {
        try await manager.changing { try await manager.service.reauthenticate() }
    }

    /// Confirms the change of the account's email address with the code of a mail.
    ///
    /// - Parameter email: The address that got the mail: the new one, or the current one.
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

    /// The user does not want to enter the code now (``AuthManager/asksForEmailCode``). The address can be confirmed later.
    public func dismissCode() { manager.asksForEmailCode = false }

    /// Sends the mails of the pending email change (``AuthenticatedUser/newEmail``) again. Earlier codes become void. Does
    /// nothing if no change is pending.
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
