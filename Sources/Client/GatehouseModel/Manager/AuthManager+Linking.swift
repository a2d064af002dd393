public import Foundation
public import Gatehouse

/// The result of linking a provider without a failure.
public enum LinkOutcome: Hashable, Sendable {
    /// The account has the new sign-in method.
    case linked
    /// The user cancelled.
    case cancelled
}

// In telemetry a link starts, fails and is cancelled like a sign-in, but ends with ``TelemetryEvent/linked``.
extension AuthManager {
    /// Fetches the user's sign-in methods.
    ///
    /// - Throws: ``AuthError``, which is also set as ``error``: ``AuthError/notAuthenticated`` if signed out.
    public func identities() async throws(AuthError) -> [UserIdentity] {
        try await call { try await self.service.identities() }
    }

    /// Removes a sign-in method. The server refuses to remove the last one, so offer this only if there are others.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, ``AuthError/lastSignInMethod`` or
    ///   ``AuthError/freshSignInNeeded``. ``SignInMessage/init(changing:)`` has a text for each. After
    ///   ``AuthError/offline(_:)`` the method may be removed.
    public func unlink(_ identity: UserIdentity) async throws(AuthError) {
        try await changing { try await self.service.unlink(identity) }
    }

    /// Returns the links of the last 30 days that can be undone. Empty if the server does not support this, such as
    /// hosted Supabase.
    ///
    /// - Throws: ``AuthError``, which is also set as ``error``: ``AuthError/notAuthenticated`` if signed out.
    public func undoableLinks() async throws(AuthError) -> [UndoableLink] {
        try await call {
            do {
                return try await self.service.undoableLinks()
            } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
                return []
            }
        }
    }

    /// Undoes a link and everything that it changed. Ends the sessions that it opened, possibly including this one.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/tooLateToUndo``.
    public func undo(_ link: UndoableLink) async throws(AuthError) {
        try await changing { try await self.service.undoLink(identityID: link.id) }
    }

    /// Links Apple to the account. Stores a name from Apple until the profile has one.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/emailInUse(_:)`` if
    ///   the identity belongs to another account. Cancellation is an outcome, not an error. ``SignInMessage`` has a text
    ///   for each.
    @discardableResult
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws(AuthError) -> LinkOutcome
    {
        try await link(.apple) {
            // Before the call that may be repeated: the sheet answers once.
            let credentials = try await self.credentials(from: sheet)
            return try await self.proving { try await self.service.link(with: credentials) }
        }
    }

    /// Links Google to the account with Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(
        _ sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws(AuthError) -> LinkOutcome {
        try await link(.google) {
            let credentials = try await sheet()
            return try await self.proving { try await self.service.link(with: credentials) }
        }
    }

    /// Links Google to the account in a browser.
    ///
    /// - Parameters:
    ///   - redirectTo: As for ``signInWithGoogle(redirectTo:browser:)``.
    ///   - browser: As for ``signInWithGoogle(redirectTo:browser:)``.
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(
        redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL
    ) async throws(AuthError) -> LinkOutcome {
        try await linkGoogle(in: AppsOwnBrowser(redirectTo: redirectTo, open: browser))
    }

    /// Links Google to the account, in a browser that has its own redirect URL.
    ///
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(in browser: any WebAuthenticator) async throws(AuthError) -> LinkOutcome {
        try await link(.google, in: browser)
    }

    /// Links any provider to the account, in a browser that has its own redirect URL.
    ///
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func link(_ provider: Provider, in browser: any WebAuthenticator) async throws(AuthError) -> LinkOutcome {
        try await link(AuthMethod(provider)) {
            try await self.proving { try await self.service.link(provider, in: browser) }
        }
    }

    private func link(
        _ method: AuthMethod, _ work: @MainActor () async throws -> Session
    ) async throws(AuthError) -> LinkOutcome {
        guard isLoggedIn else { throw AuthError.notAuthenticated }
        let account = await service.currentSession?.user
        callCount += 1
        defer { callCount -= 1 }
        record(.started(method))
        do {
            // The service's event delivers the new session. The profile sends a name from Apple.
            _ = try await work()
            loadProfile()
            record(.linked(existing: account?.firstMethod, new: method))
            return .linked
        } catch {
            let failure = AuthError(error)
            guard failure != .cancelled else {
                record(.cancelled(method))
                return .cancelled
            }
            record(.failed(method, failure.code))
            throw failure
        }
    }
}

extension User {
    /// The sign-in method with which the account was created.
    fileprivate var firstMethod: AuthMethod? {
        let provider = appMetadata["provider"]?.stringValue ?? identities?.first?.provider
        return provider.map { AuthMethod(rawValue: $0) }
    }
}
