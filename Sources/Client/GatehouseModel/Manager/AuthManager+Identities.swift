import Foundation
public import Gatehouse

/// The result of linking a provider without a failure.
public enum LinkOutcome: Hashable, Sendable {
    /// The account has the new sign-in method.
    case linked
    /// The user cancelled.
    case cancelled
}

extension AuthManager {
    /// The user's sign-in methods: email address and providers.
    public var identities: Identities { Identities(manager: self) }

    /// The user's sign-in methods: email address and providers. See ``AuthManager/identities``.
    ///
    /// In telemetry a link starts, fails and is cancelled like a sign-in, but ends with `TelemetryEvent.linked(existing:new:)`.
    @MainActor
    public struct Identities {
        let manager: AuthManager
    }
}

extension AuthManager.Identities {
    /// Fetches the user's sign-in methods.
    ///
    /// - Throws: ``AuthError``, which is also set as ``AuthManager/error``: ``AuthError/notAuthenticated`` if signed out.
    public func list() async throws(AuthError) -> [AuthUserIdentity] {
        try await manager.call { try await manager.service.identities() }
    }

    /// Removes a sign-in method. The server refuses to remove the last one, so offer this only if there are others.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, ``AuthError/lastSignInMethod`` or
    ///   ``AuthError/freshSignInNeeded``. ``SignInMessage/init(changing:)`` has a text for each. After
    ///   ``AuthError/offline(_:)`` the method may be removed.
    public func unlink(_ identity: AuthUserIdentity) async throws(AuthError) {
        try await manager.changing { try await manager.service.unlink(identity) }
    }

    /// Returns the links of the last 30 days that can be undone. Empty if the server does not support this, such as
    /// hosted Supabase.
    ///
    /// - Throws: ``AuthError``, which is also set as ``AuthManager/error``: ``AuthError/notAuthenticated`` if signed out.
    public func undoableLinks() async throws(AuthError) -> [AuthUndoableLink] {
        try await manager.call {
            do {
                return try await manager.service.undoableLinks()
            } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
                return []
            }
        }
    }

    /// Undoes a link and everything that it changed. Ends the sessions that it opened, possibly including this one.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/tooLateToUndo``.
    public func undo(_ link: AuthUndoableLink) async throws(AuthError) {
        try await manager.changing { try await manager.service.undoLink(identityID: link.id) }
    }

    /// Links Apple to the account. Stores a name from Apple until the profile has one.
    ///
    /// - Parameter sheet: As for ``AuthManager/signInWithApple(_:)``.
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out, or ``AuthError/emailInUse(_:)`` if
    ///   the identity belongs to another account. Cancellation is an outcome, not an error. ``SignInMessage`` has a text
    ///   for each.
    @discardableResult
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws(AuthError) -> LinkOutcome
    {
        try await link(.apple) {
            // Before the call that may be repeated: the sheet answers once.
            let credentials = try await manager.names.credentials(from: sheet)
            return try await manager.proofs.proving { try await manager.service.link(with: credentials) }
        }
    }

    /// Links Google to the account with Google's own sheet.
    ///
    /// - Parameter sheet: As for ``AuthManager/signInWithApple(_:)``.
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(
        _ sheet: @MainActor () async throws -> IDTokenCredentials
    ) async throws(AuthError) -> LinkOutcome {
        try await link(.google) {
            let credentials = try await sheet()
            return try await manager.proofs.proving { try await manager.service.link(with: credentials) }
        }
    }

    /// Links a provider to the account, in a browser that has its own redirect URL.
    ///
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func link(_ provider: AuthProvider, in browser: any WebAuthenticator) async throws(AuthError) -> LinkOutcome
    {
        try await link(AuthMethod(provider)) {
            try await manager.proofs.proving { try await manager.service.link(provider, in: browser) }
        }
    }

    private func link(
        _ method: AuthMethod, _ work: @MainActor () async throws -> AuthSession
    ) async throws(AuthError) -> LinkOutcome {
        guard manager.isLoggedIn else { throw AuthError.notAuthenticated }
        let account = await manager.service.currentSession?.user
        manager.callCount += 1
        defer { manager.callCount -= 1 }
        manager.record(.started(method))
        do {
            // The service's event delivers the new session. The profile sends a name from Apple.
            _ = try await work()
            manager.loadProfile()
            manager.record(.linked(existing: account?.firstMethod, new: method))
            return .linked
        } catch {
            let failure = AuthError(error)
            guard failure != .cancelled else {
                manager.record(.cancelled(method))
                return .cancelled
            }
            manager.record(.failed(method, failure.code))
            throw failure
        }
    }
}

extension AuthUser {
    /// The sign-in method with which the account was created.
    fileprivate var firstMethod: AuthMethod? {
        let provider = appMetadata["provider"]?.stringValue ?? identities?.first?.provider
        return provider.map { AuthMethod(rawValue: $0) }
    }
}
