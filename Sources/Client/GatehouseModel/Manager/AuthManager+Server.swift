public import Foundation
public import Gatehouse

// What the server offers, its mails, and the user's devices.
extension AuthManager {
    /// Asks the server what it offers, unless it has answered already. The login screen does this itself. After a
    /// failure it asks again as soon as the device has a connection.
    public func loadServerSettings() async {
        guard serverSettings == nil else { return }
        // Lost: why the server does not answer. Without an answer, screens offer what most servers do.
        guard let settings = try? await service.settings() else {
            hasMissedSettings = true
            return
        }
        serverSettings = settings
    }

    /// The method of the last sign-in on this device; nil if it is unknown.
    public var lastMethod: AuthMethod? { memory.read().map { AuthMethod(rawValue: $0) } }

    /// Sends the mail for a password reset. Does not reveal whether the address has an account.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/emailDisabled`` if the server sends no mail. ``SignInMessage`` has a text
    ///   for each.
    public func sendPasswordMail(to email: String) async throws(AuthError) {
        do { try await service.sendPasswordMail(to: email) } catch { throw AuthError(error) }
    }

    /// Sends the confirmation mail of a sign-up again. Does not reveal whether one is pending.
    ///
    /// - Throws: As ``sendPasswordMail(to:)``.
    public func resendConfirmation(to email: String) async throws(AuthError) {
        do { try await service.resendConfirmation(to: email) } catch { throw AuthError(error) }
    }

    /// Whether a URL that opened the app is the link of a mail: ``redirectTo`` with further values.
    public nonisolated func isMailLink(_ url: URL) -> Bool { redirectTo.map(url.isAnswer(to:)) ?? false }

    /// Completes the link of a mail, which confirms an address or allows setting a password
    /// (``needsNewPassword``). `gatehouse(_:branding:)` of GatehouseUI does this itself.
    ///
    /// - Parameter url: A URL for which ``isMailLink(_:)`` is true.
    /// - Throws: ``AuthError``, such as ``AuthError/invalidCallback`` for a link that this device did not request. After
    ///   ``AuthError/offline(_:)`` the link can be used again.
    public func openMailLink(_ url: URL) async throws(AuthError) {
        do { try await service.openMailLink(url) } catch { throw AuthError(error) }
    }

    /// Fetches the user's sessions, this device's first.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out; ``AuthError/networkError(_:)`` with
    ///   status 404 if the server keeps no list.
    public func devices() async throws(AuthError) -> [SessionInfo] {
        guard isLoggedIn else { throw .notAuthenticated }
        do { return try await service.sessions() } catch { throw AuthError(error) }
    }

    /// Signs out one of the user's other devices.
    ///
    /// - Parameter device: The `SessionInfo.id` of its session.
    /// - Throws: As ``devices()``; status 404 also if the user has no such session.
    public func signOut(device: UUID) async throws(AuthError) {
        try await changing { try await self.service.revokeSession(id: device) }
    }
}
