public import Foundation

/// Signing in with a provider's pages, from the browser's opening to the session.
///
/// Why there is no `state` of the app's own here: on this leg the Auth protocol gives the app none, and adding one to
/// the redirect address would break its exact registration. PKCE does its work (RFC 9700 §2.1.1): each flow has a
/// verifier of 32 random bytes in a place of its own, which leaves this device only in the exchange; the server, which
/// saw its SHA-256 when the flow began, compares it and gives no session for the code of another flow. So an answer
/// that somebody else put into the browser signs nobody in. (The leg from the server to the provider has a state, and
/// the server checks it.) Nothing secret is compared on this side.
extension AuthClient {
    /// Signs in with a provider, in a browser that `launchFlow` shows.
    ///
    /// - Parameters:
    ///   - redirectTo: Registered at the server; goes there byte for byte. Nil for the server's own site address,
    ///     against which an answer cannot be checked here.
    ///   - scopes: Further scopes, as the provider spells them.
    ///   - queryParams: For the provider, such as `prompt`.
    ///   - launchFlow: Opens the address and gives back the one that came.
    /// - Throws: ``AuthClientError``, `refused` with status 0 when the page came back with an error, and with a
    ///   ``AuthClientError/linkQuestion`` when an account has the address already;
    ///   ``WebAuthenticationError/invalidCallback`` for an answer with another scheme, host, port or path than
    ///   `redirectTo`; or what `launchFlow` throws. Whoever was signed in still is.
    @discardableResult
    public func signInWithOAuth(
        provider: Provider, redirectTo: URL? = nil, scopes: String? = nil,
        queryParams: [(name: String, value: String?)] = [],
        launchFlow: @MainActor @Sendable (_ url: URL) async throws -> URL
    ) async throws -> Session {
        try await finish(.signIn) { flow in
            let start = try caller.address(.authorize("/authorize", provider, scopes, redirectTo, queryParams, flow))
            return (try await launchFlow(start), redirectTo)
        }
    }

    /// Signs in with a provider, in a browser that knows its own redirect address.
    ///
    /// - Throws: As ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``, and
    ///   ``WebAuthenticationError``.
    @discardableResult
    public func signInWithOAuth(
        provider: Provider, scopes: String? = nil, queryParams: [(name: String, value: String?)] = [],
        in browser: any WebAuthenticationSession
    ) async throws -> Session {
        try await finish(.signIn) { flow in
            try await show(in: browser) { redirect in
                try caller.address(.authorize("/authorize", provider, scopes, redirect, queryParams, flow))
            }
        }
    }

    /// Adds a provider's sign-in to the account that is signed in, in a browser that `launchFlow` shows.
    ///
    /// - Parameters: As for ``signInWithOAuth(provider:redirectTo:scopes:queryParams:launchFlow:)``.
    /// - Throws: The same; `identity_already_exists` when it belongs to another account.
    @discardableResult
    public func linkIdentity(
        provider: Provider, redirectTo: URL? = nil, scopes: String? = nil,
        queryParams: [(name: String, value: String?)] = [],
        launchFlow: @MainActor @Sendable (_ url: URL) async throws -> URL
    ) async throws -> Session {
        try await finish(.link) { flow in
            let start = try await linkAddress(provider, scopes, redirectTo, queryParams, flow)
            return (try await launchFlow(start), redirectTo)
        }
    }

    /// Adds a provider's sign-in to the account that is signed in, in a browser that knows its own redirect address.
    ///
    /// - Throws: As ``linkIdentity(provider:redirectTo:scopes:queryParams:launchFlow:)``, and
    ///   ``WebAuthenticationError``.
    @discardableResult
    public func linkIdentity(
        provider: Provider, scopes: String? = nil, queryParams: [(name: String, value: String?)] = [],
        in browser: any WebAuthenticationSession
    ) async throws -> Session {
        try await finish(.link) { flow in
            try await show(in: browser) { redirect in
                try await linkAddress(provider, scopes, redirect, queryParams, flow)
            }
        }
    }

    private func show(
        in browser: any WebAuthenticationSession, _ address: @Sendable (URL) async throws -> URL
    ) async throws -> (URL, URL?) {
        let redirect = Locked<URL?>(nil)
        let back = try await browser.authenticate { url in
            redirect.withLock { $0 = url }
            return try await address(url)
        }
        return (back, redirect.withLock { $0 })
    }

    /// Begins a flow, shows it, and trades the code that came back: with this flow's verifier, and no other's.
    ///
    /// Whatever comes of it, nothing of the flow is left: its code is nowhere else. Who began to link one account does
    /// not come back into it when another has been signed in to meanwhile.
    private func finish(
        _ kind: FlowKind, _ show: (PendingFlow) async throws -> (back: URL, redirect: URL?)
    ) async throws -> Session {
        let flow = try await flows.begin(kind)
        let owner = kind == .link ? await coordinator.owner()?.user.id : nil
        do {
            let (back, redirect) = try await show(flow)
            if let redirect, !back.isAnswer(to: redirect) { throw WebAuthenticationError.invalidCallback }
            if kind == .link, await coordinator.owner()?.user.id != owner { throw AuthClientError.sessionChanged }
            return try await exchange(try back.redirectCode, for: flow)
        } catch {
            await forget(flow)
            throw error
        }
    }
}
