import Gatehouse

/// The result of changing the email address.
public enum EmailChange: Hashable, Sendable {
    /// The account has the new address.
    case changed
    /// The account gets the new address after the user enters the code of the confirmation mail, or opens its link.
    case checkMail
}

// Changes of the account's own credentials.
extension AuthManager {
    /// Changes the account's email address.
    ///
    /// - Parameter current: The account's password, after ``AuthError/currentPasswordRequired``.
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, ``AuthError/emailInUse(_:)`` or
    ///   ``AuthError/currentPasswordRequired``. ``SignInMessage/init(changing:)`` has a text for each. Nothing changed
    ///   then, unless the response was lost.
    public func changeEmail(_ email: String, current: String? = nil) async throws(AuthError) -> EmailChange {
        let change = UserAttributes(email: email, currentPassword: current)
        let account = try await changing { try await self.service.update(user: change) }
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
        let change = UserAttributes(password: password, currentPassword: current, nonce: code)
        _ = try await changing { try await self.service.update(user: change) }
    }

    /// Sends a code to the account's email address.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/rateLimited(retryAfter:)``.
    public func sendCode() async throws(AuthError) { try await changing { try await self.service.reauthenticate() } }

    func changing<Value: Sendable>(
        _ work: @MainActor () async throws -> Value
    ) async throws(AuthError) -> Value {
        guard isLoggedIn else { throw .notAuthenticated }
        callCount += 1
        defer { callCount -= 1 }
        do { return try await proving(work) } catch { throw AuthError(error) }
    }
}
