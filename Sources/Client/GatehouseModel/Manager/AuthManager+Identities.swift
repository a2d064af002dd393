import Foundation
public import Gatehouse

/// The result of linking a provider.
public enum LinkOutcome: Hashable, Sendable {
    /// The account has the new sign-in method.
    case linked
    /// The user cancelled.
    case cancelled
}

extension AuthManager {
    /// The user's sign-in methods.
    public var identities: Identities { Identities(manager: self) }

    /// Manages sign-in methods. See ``AuthManager/identities``.
    ///
    /// A link's telemetry ends with `TelemetryEvent.linked(existing:new:)`.
    @MainActor
    public struct Identities {
        let manager: AuthManager
    }
}

extension AuthManager.Identities {
    /// Fetches the user's sign-in methods.
    ///
    /// - Throws: ``AuthError``, which is also ``AuthManager/error``.
    public func list() async throws(AuthError) -> [AuthUserIdentity] {
        try await manager.call { try await manager.service.identities() }
    }

    /// Removes a sign-in method other than the last one.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/freshSignInNeeded``. After ``AuthError/offline(_:)`` the method may
    ///   be removed.
    public func unlink(_ identity: AuthUserIdentity) async throws(AuthError) {
        try await manager.changing { try await manager.service.unlink(identity) }
    }

    /// Returns the last 30 days' links that can be undone; none if the server lacks this, such as hosted Supabase.
    ///
    /// - Throws: ``AuthError``, which is also ``AuthManager/error``.
    public func undoableLinks() async throws(AuthError) -> [AuthUndoableLink] {
        try await manager.call {
            do {
                return try await manager.service.undoableLinks()
            } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
                return []
            }
        }
    }

    /// Undoes a link and all its changes. Ends the sessions that it opened, possibly this one.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/tooLateToUndo``.
    public func undo(_ link: AuthUndoableLink) async throws(AuthError) {
        try await manager.changing { try await manager.service.undoLink(identityID: link.id) }
    }

    /// Links Apple to the account. Stores a name from Apple until the profile has one.
    ///
    /// - Parameter sheet: As for ``AuthManager/signInWithApple(_:)``.
    /// - Throws: ``AuthError``, such as ``AuthError/emailInUse(_:)`` if another account has the identity.
    @discardableResult
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws(AuthError) -> LinkOutcome
    {
        try await link(.apple) {
            // The sheet returns once, but the call may be repeated.
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

    /// Links a provider to the account in a browser.
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
            // An event delivers the session; the profile sends a name from Apple.
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
    fileprivate var firstMethod: AuthMethod? {
        let provider = appMetadata["provider"]?.stringValue ?? identities?.first?.provider
        return provider.map { AuthMethod(rawValue: $0) }
    }
}
