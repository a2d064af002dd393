public import Foundation

/// Sign-in on a provider's web pages.
///
/// The app sends no `state`: the Auth protocol has none for it, and it would break the redirect URL's exact match. PKCE
/// protects instead (RFC 9700 §2.1.1): each flow's verifier, 32 random bytes, leaves this device only in the code
/// exchange, so an injected code is useless. (The leg from server to provider has a state.)
extension GatehouseClient {
    /// Signs in with a provider in a browser shown by `launchFlow`, with PKCE.
    ///
    /// ```swift
    /// try await client.signInWithOAuth(provider: .google, redirectTo: redirectTo) { url in
    ///     try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - redirectTo: An allowed redirect URL, used byte for byte. nil uses the server's site URL, and skips the check
    ///     of the callback.
    ///   - scopes: Further scopes in the provider's syntax.
    ///   - queryParams: For the provider, such as `prompt`.
    ///   - launchFlow: Opens the URL and returns the callback's.
    /// - Throws: `refused` with status 0 if the callback has an error, such as `access_denied` after cancelling, or a
    ///   ``AuthClientError/linkQuestion``; ``AuthClientError/invalidCallback`` if its scheme, host, port or path differ
    ///   from `redirectTo`; or errors of `launchFlow`.
    @discardableResult
    public func signInWithOAuth(
        provider: AuthProvider, redirectTo: URL? = nil, scopes: String? = nil,
        queryParams: [(name: String, value: String?)] = [],
        launchFlow: @MainActor @Sendable (_ url: URL) async throws -> URL
    ) async throws -> AuthSession {
        try await finish(.signIn) { flow in
            let start = try caller.address(.authorize("/authorize", provider, scopes, redirectTo, queryParams, flow))
            return (try await launchFlow(start), redirectTo)
        }
    }

    /// Signs in with a provider in a browser that has its own redirect URL, with PKCE. May be repeated.
    ///
    /// ```swift
    /// let browser = LoopbackWebAuthentication()
    /// do {
    ///     try await client.signInWithOAuth(provider: .google, in: browser)
    /// } catch AuthClientError.cancelled, AuthClientError.timedOut {
    ///     return
    /// }
    /// ```
    ///
    /// - Parameter browser: `SystemWebAuthentication` on Apple's systems, `LoopbackWebAuthentication` of
    ///   GatehouseDesktop elsewhere.
    /// - Throws: As ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``, and the browser's errors.
    @discardableResult
    public func signInWithOAuth(
        provider: AuthProvider, scopes: String? = nil, queryParams: [(name: String, value: String?)] = [],
        in browser: any WebAuthenticator
    ) async throws -> AuthSession {
        try await finish(.signIn) { flow in
            try await show(in: browser) { redirect in
                try caller.address(.authorize("/authorize", provider, scopes, redirect, queryParams, flow))
            }
        }
    }

    /// Links a provider's identity to the signed-in account, in a browser shown by `launchFlow`.
    ///
    /// - Parameters: As for ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``.
    /// - Returns: As ``confirmLink(_:)``.
    /// - Throws: The same errors, and `sessionChanged` if another user has signed in, `identity_already_exists`,
    ///   `manual_linking_disabled`, `fresh_sign_in_required`.
    @discardableResult
    public func linkIdentity(
        provider: AuthProvider, redirectTo: URL? = nil, scopes: String? = nil,
        queryParams: [(name: String, value: String?)] = [],
        launchFlow: @MainActor @Sendable (_ url: URL) async throws -> URL
    ) async throws -> AuthSession {
        try await finish(.link) { flow in
            let start = try await linkAddress(provider, scopes, redirectTo, queryParams, flow)
            return (try await launchFlow(start), redirectTo)
        }
    }

    /// Links a provider's identity to the signed-in account, in a browser that has its own redirect URL. Otherwise as
    /// ``linkIdentity(provider:redirectTo:scopes:queryParams:launchFlow:)``.
    ///
    /// ```swift
    /// do {
    ///     try await client.linkIdentity(provider: .google, in: LoopbackWebAuthentication())
    /// } catch let error as AuthClientError where error.code == .identityAlreadyExists {
    ///     message = "This Google account already belongs to an account."
    /// }
    /// ```
    @discardableResult
    public func linkIdentity(
        provider: AuthProvider, scopes: String? = nil, queryParams: [(name: String, value: String?)] = [],
        in browser: any WebAuthenticator
    ) async throws -> AuthSession {
        try await finish(.link) { flow in
            try await show(in: browser) { redirect in
                try await linkAddress(provider, scopes, redirect, queryParams, flow)
            }
        }
    }

    private func show(
        in browser: any WebAuthenticator, _ address: @Sendable (URL) async throws -> URL
    ) async throws -> (URL, URL?) {
        let redirect = Locked<URL?>(nil)
        let back = try await browser.authenticate { url in
            redirect.withLock { $0 = url }
            return try await address(url)
        }
        return (back, redirect.withLock { $0 })
    }

    /// Always deletes the flow, whose code exists nowhere else. A link's result does not replace another user's
    /// session.
    private func finish(
        _ kind: FlowKind, _ show: (PendingFlow) async throws -> (back: URL, redirect: URL?)
    ) async throws -> AuthSession {
        let flow = try await flows.begin(kind)
        let owner = kind == .link ? await coordinator.owner()?.user.id : nil
        do {
            let (back, redirect) = try await show(flow)
            if let redirect, !back.isAnswer(to: redirect) { throw AuthClientError.invalidCallback }
            if kind == .link, await currentSession?.user.id != owner { throw AuthClientError.sessionChanged }
            return try await exchange(try back.redirectCode, for: flow)
        } catch {
            await forget(flow)
            throw error
        }
    }
}
