public import Foundation
public import Gatehouse

// What the server offers, its mails, and the user's devices.
extension AuthManager {
    /// Asks the server what it offers, unless it has answered already. The login screen does this itself.
    public func loadServerSettings() async {
        guard serverSettings == nil else { return }
        // Lost: why the server does not answer. Without an answer, screens offer what most servers do.
        guard let settings = try? await service.settings() else { return }
        serverSettings = settings
    }

    /// The method of the last sign-in on this device; nil if it is unknown.
    public var lastMethod: AuthMethod? { memory.read().map { AuthMethod(rawValue: $0) } }

    /// Sends the mail for a password reset. Does not reveal whether the address has an account.
    ///
    /// - Throws: The error of ``AuthService/sendPasswordMail(to:)``. ``SignInMessage`` has a text for each.
    public func sendPasswordMail(to email: String) async throws { try await service.sendPasswordMail(to: email) }

    /// Sends the confirmation mail of a sign-up again. Does not reveal whether one is pending.
    ///
    /// - Throws: As ``sendPasswordMail(to:)``.
    public func resendConfirmation(to email: String) async throws { try await service.resendConfirmation(to: email) }

    /// Whether a URL that opened the app is the link of a mail: ``redirectTo`` with further values.
    public nonisolated func isMailLink(_ url: URL) -> Bool { redirectTo.map(url.isAnswer(to:)) ?? false }

    /// Completes the link of a mail, which confirms an address or allows setting a password
    /// (``needsNewPassword``). `gatehouse(_:branding:)` of GatehouseUI does this itself.
    ///
    /// - Parameter url: A URL for which ``isMailLink(_:)`` is true.
    /// - Throws: The error of ``AuthService/openMailLink(_:)``.
    public func openMailLink(_ url: URL) async throws { try await service.openMailLink(url) }

    /// Fetches the user's sessions, this device's first.
    ///
    /// - Throws: ``AuthError/notAuthenticated`` if signed out; otherwise the error of ``AuthService/sessions()``.
    public func devices() async throws -> [SessionInfo] {
        guard isLoggedIn else { throw AuthError.notAuthenticated }
        return try await service.sessions()
    }

    /// Signs out one of the user's other devices.
    ///
    /// - Parameter device: The `SessionInfo.id` of its session.
    /// - Throws: ``AuthError/notAuthenticated`` if signed out; otherwise the error of
    ///   ``AuthService/revokeSession(id:)``.
    public func signOut(device: UUID) async throws {
        try await changing { try await self.service.revokeSession(id: device) }
    }
}
