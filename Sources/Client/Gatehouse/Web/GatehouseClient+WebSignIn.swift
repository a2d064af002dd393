public import Foundation

/// Sign-in on a provider's web pages, from opening the browser to the session.
///
/// The app sends no `state`: on this leg the Auth protocol has none for the app, and adding one to the redirect URL
/// would break its exact match. PKCE provides the protection (RFC 9700 §2.1.1): each flow has its own verifier of 32
/// random bytes, which leaves this device only in the code exchange. The server compares it with the challenge from the
/// start of the flow and gives no session for the code of another flow. An answer that an attacker injects into the
/// browser is therefore useless. (The leg from the server to the provider has a state, which the server checks.) The
/// client compares no secrets.
extension GatehouseClient {
    /// Signs in with a provider in a browser that `launchFlow` shows, with PKCE.
    ///
    /// ```swift
    /// try await client.signInWithOAuth(provider: .google, redirectTo: redirectTo) { url in
    ///     try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - redirectTo: A redirect URL that the server allows, used byte for byte. nil uses the server's site URL,
    ///     against which the client cannot check the answer.
    ///   - scopes: Additional scopes in the provider's syntax.
    ///   - queryParams: Parameters for the provider, such as `prompt`.
    ///   - launchFlow: Opens the URL and returns the one that the browser came back with.
    /// - Throws: ``AuthClientError``, `refused` with status 0 if the browser returned with an error, usually with the
    ///   code `access_denied` if the user cancelled there, and with a ``AuthClientError/linkQuestion`` if the address
    ///   already belongs to an account; ``AuthClientError/invalidCallback`` for a URL with another scheme, host,
    ///   port or path than `redirectTo`; or errors of `launchFlow`. The previous session stays active.
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

    /// Signs in with a provider in a browser that has its own redirect URL, with PKCE. Call it again to try again.
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
    /// - Parameter browser: `SystemWebAuthentication` on Apple's systems, `LoopbackWebAuthentication` of GatehouseDesktop elsewhere.
    /// - Throws: As ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``, and
    ///   ``AuthClientError/cancelled`` if the user closed the sheet.
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

    /// Links a provider's identity to the signed-in account, in a browser that `launchFlow` shows.
    ///
    /// - Parameters: As for ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``.
    /// - Returns: A new session of the same account; the previous one if only that one had the second factor.
    /// - Throws: The same errors, and ``AuthClientError``: `signedOut` without a session; `sessionChanged` if another
    ///   user has signed in. Codes: `identity_already_exists` if the identity already belongs to an account;
    ///   `manual_linking_disabled`; `fresh_sign_in_required` if the server requires a recent sign-in.
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

    /// Links a provider's identity to the signed-in account, in a browser that has its own redirect URL.
    ///
    /// ```swift
    /// do {
    ///     try await client.linkIdentity(provider: .google, in: LoopbackWebAuthentication())
    /// } catch let error as AuthClientError where error.code == .identityAlreadyExists {
    ///     message = "This Google account already belongs to an account."
    /// }
    /// ```
    ///
    /// - Returns: A new session of the same account; the previous one if only that one had the second factor.
    /// - Throws: As ``linkIdentity(provider:redirectTo:scopes:queryParams:launchFlow:)``.
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

    /// Starts a flow, shows it, and exchanges the resulting code with this flow's verifier.
    ///
    /// Deletes the flow in any case, because its code exists nowhere else. If another user has signed in, the
    /// result of a link does not replace that user's session.
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
