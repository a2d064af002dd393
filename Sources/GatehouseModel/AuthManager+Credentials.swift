public import Gatehouse

/// The result of changing the email address.
public enum EmailChange: Hashable, Sendable {
    /// The account has the new address.
    case changed
    /// The account gets the new address after the user opens the confirmation mail.
    case checkMail
}

// Changes of the account's own credentials.
extension AuthManager {
    /// Changes the account's email address.
    ///
    /// - Parameter current: The account's password, if the server answered `current_password_required`.
    /// - Throws: ``AuthError/notAuthenticated`` if signed out; otherwise the error of ``AuthService/update(user:)``,
    ///   such as `AuthClientError` with `email_exists` or `current_password_required`.
    ///   ``SignInMessage/init(changing:)`` has a text for each. Nothing changed then, unless the response was lost.
    public func changeEmail(_ email: String, current: String? = nil) async throws -> EmailChange {
        let change = UserAttributes(email: email, currentPassword: current)
        let account = try await changing { try await self.service.update(user: change) }
        return account.email?.lowercased() == email.lowercased() ? .changed : .checkMail
    }

    /// Sets or changes the account's password. Ends the user's other sessions.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 72 bytes.
    ///   - current: The current password, if the server answered `current_password_required`.
    ///   - code: The code from ``sendCode()``, if the server answered `reauthentication_needed`.
    /// - Throws: As ``changeEmail(_:current:)``; `AuthClientError` also with `weak_password` or `same_password`.
    public func changePassword(_ password: String, current: String? = nil, code: String? = nil) async throws {
        let change = UserAttributes(password: password, currentPassword: current, nonce: code)
        _ = try await changing { try await self.service.update(user: change) }
    }

    /// Sends a code to the account's email address.
    ///
    /// - Throws: ``AuthError/notAuthenticated`` if signed out; otherwise the error of ``AuthService/reauthenticate()``.
    public func sendCode() async throws { try await changing { try await self.service.reauthenticate() } }

    func changing<Value: Sendable>(_ work: @MainActor () async throws -> Value) async throws -> Value {
        guard isLoggedIn else { throw AuthError.notAuthenticated }
        callCount += 1
        defer { callCount -= 1 }
        return try await work()
    }
}
