public import Gatehouse

/// What came of a new address.
public enum EmailChange: Hashable, Sendable {
    /// It is the account's from now on.
    case changed
    /// It is the account's once the person has opened the mail that was sent to it.
    case checkMail
}

// What a person changes about the account's own way in. Errors are as the service threw them, or
// ``AuthError/notAuthenticated``; ``SignInMessage`` has the text for each. Nothing
// was changed then, unless the connection was lost: the server may have done it, and its answer is missing.
extension AuthManager {
    /// Gives the account another address.
    ///
    /// - Parameter current: The account's password, where the server asks for it with `current_password_required`.
    public func changeEmail(_ email: String, current: String? = nil) async throws -> EmailChange {
        let change = UserAttributes(email: email, currentPassword: current)
        let account = try await changing { try await self.service.update(user: change) }
        return account.email?.lowercased() == email.lowercased() ? .changed : .checkMail
    }

    /// Gives the account another password, or its first one. The person's other sessions end.
    ///
    /// - Parameters:
    ///   - current: Where the server asks for it with `current_password_required`.
    ///   - code: Of ``sendCode()``, where the server asks for it with `reauthentication_needed`.
    public func changePassword(_ password: String, current: String? = nil, code: String? = nil) async throws {
        let change = UserAttributes(password: password, currentPassword: current, nonce: code)
        _ = try await changing { try await self.service.update(user: change) }
    }

    /// Sends a code to the account's address.
    public func sendCode() async throws { try await changing { try await self.service.reauthenticate() } }

    func changing<Value: Sendable>(_ work: @MainActor () async throws -> Value) async throws -> Value {
        guard isLoggedIn else { throw AuthError.notAuthenticated }
        callCount += 1
        defer { callCount -= 1 }
        return try await work()
    }
}
