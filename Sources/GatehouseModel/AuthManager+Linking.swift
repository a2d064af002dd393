public import Foundation
public import Gatehouse

/// What came of linking a provider that did not fail.
public enum LinkOutcome: Hashable, Sendable {
    case linked
    /// The person changed their mind.
    case cancelled
}

// For telemetry a link begins, fails and is cancelled as a sign-in does, and ends with ``TelemetryEvent/linked``.
extension AuthManager {
    /// The ways in which the person can sign in, asked anew.
    ///
    /// - Throws: ``AuthError``, and ``error`` is the same.
    public func identities() async throws(AuthError) -> [UserIdentity] {
        try await call { try await self.service.identities() }
    }

    /// Removes a way to sign in. The server keeps the last one: offer this only beside another.
    ///
    /// - Throws: ``AuthError``, and ``error`` is the same; nothing was removed then.
    public func unlink(_ identity: UserIdentity) async throws(AuthError) {
        try await call { try await self.service.unlink(identity) }
    }

    /// What was linked in the last 30 days, with or without a question, and can be taken back. Empty for a server that
    /// has no such list, as hosted Supabase.
    ///
    /// - Throws: ``AuthError``, and ``error`` is the same.
    public func undoableLinks() async throws(AuthError) -> [UndoableLink] {
        try await call {
            do {
                return try await self.service.undoableLinks()
            } catch AuthClientError.refused(let refusal) where refusal.status == 404 {
                return []
            }
        }
    }

    /// Takes a link back with everything that it changed. Sessions that it opened end, which may be this one.
    ///
    /// - Throws: ``AuthError/notAuthenticated`` without a person; else as the service threw: `link_not_undoable` when it
    ///   is too late.
    public func undo(_ link: UndoableLink) async throws {
        try await changing { try await self.service.undoLink(identityID: link.id) }
    }

    /// Adds Apple to the account. A name that Apple gave is kept until the profile has one.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: ``AuthError/notAuthenticated`` without a person; else as the service threw, or ``SignInFailure``.
    ///   ``SignInMessage`` has the text.
    @discardableResult
    public func linkApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws -> LinkOutcome {
        try await link(.apple) { try await self.service.link(with: try await self.credentials(from: sheet)) }
    }

    /// Adds Google to the account, by Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(
        _ sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws -> LinkOutcome {
        try await link(.google) { try await self.service.link(with: try await sheet()) }
    }

    /// Adds Google to the account, in a browser.
    ///
    /// - Parameters:
    ///   - redirectTo: As for ``signInWithGoogle(redirectTo:browser:)``.
    ///   - browser: As for ``signInWithGoogle(redirectTo:browser:)``.
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(
        redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL
    ) async throws -> LinkOutcome {
        try await linkGoogle(in: AppsOwnBrowser(redirectTo: redirectTo, open: browser))
    }

    /// Adds Google to the account, in a browser that knows its own redirect address.
    ///
    /// - Throws: As ``linkApple(_:)``.
    @discardableResult
    public func linkGoogle(in browser: any WebAuthenticationSession) async throws -> LinkOutcome {
        try await link(.google) { try await self.service.link(.google, in: browser) }
    }

    private func link(
        _ method: AuthMethod, _ work: @MainActor () async throws -> Session
    ) async throws -> LinkOutcome {
        guard isLoggedIn else { throw AuthError.notAuthenticated }
        let account = await service.currentSession?.user
        callCount += 1
        defer { callCount -= 1 }
        record(.started(method))
        do {
            // The service's event shows the new session.
            _ = try await work()
            record(.linked(existing: account?.firstMethod, new: method))
            return .linked
        } catch {
            let problem = SignInProblem(error)
            guard problem != .cancelled else {
                record(.cancelled(method))
                return .cancelled
            }
            record(.failed(method, problem))
            throw error
        }
    }
}

extension User {
    /// The way to sign in that the account was made with.
    fileprivate var firstMethod: AuthMethod? {
        let provider = appMetadata["provider"]?.stringValue ?? identities?.first?.provider
        return provider.flatMap(AuthMethod.init)
    }
}
