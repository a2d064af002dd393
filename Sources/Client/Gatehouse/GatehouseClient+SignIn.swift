public import Foundation

extension GatehouseClient {
    /// Creates an account, and signs in unless the server requires confirmation.
    ///
    /// - Parameters:
    ///   - password: 8 characters to 1,024 bytes.
    ///   - data: The account's metadata, from which its profile takes name and picture.
    ///   - redirectTo: The emailed link's target, sent byte for byte. Only this device can redeem the link.
    /// - Throws: `user_already_exists`; `weak_password`, with ``AuthRefusal/weakPasswordReasons``; `signup_disabled`;
    ///   `email_provider_disabled`.
    @discardableResult
    public func signUp(
        email: String, password: String, data: AuthJSONObject? = nil, redirectTo: URL? = nil,
        captchaToken: String? = nil
    ) async throws -> SessionOrUser {
        var request = AuthRequest(
            "POST", "/signup", query: [("redirect_to", redirectTo?.absoluteString)],
            body: [
                "email": .string(email), "password": .string(password), "data": data.map(AuthJSON.object),
                "gotrue_meta_security": captcha(captchaToken),
            ])
        let flow = try await begin(.signIn, when: redirectTo, in: &request)
        do {
            let answer = try await respond(to: request)
            // No email follows.
            if let flow, answer.session != nil { await forget(flow) }
            return answer
        } catch AuthClientError.refused(let refusal) {
            if let flow { await forget(flow) }
            throw AuthClientError.refused(refusal)
        }
    }

    /// Signs in with a password.
    ///
    /// - Throws: `invalid_credentials`; only for the correct password `email_not_confirmed`, `user_banned`, and
    ///   `credential_set_aside`, after which use ``verifyOTP(email:token:type:password:captchaToken:)``;
    ///   `over_request_rate_limit`, with ``AuthRefusal/retryAfter``.
    @discardableResult
    public func signIn(email: String, password: String, captchaToken: String? = nil) async throws -> AuthSession {
        try await signIn(
            AuthRequest(
                "POST", "/token", query: [("grant_type", "password")],
                body: [
                    "email": .string(email), "password": .string(password),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Creates an account without email address and password. Once its session is lost, the account is inaccessible.
    ///
    /// - Throws: `anonymous_provider_disabled`.
    @discardableResult
    public func signInAnonymously(
        data: AuthJSONObject? = nil, captchaToken: String? = nil
    ) async throws -> AuthSession {
        try await signIn(
            AuthRequest(
                "POST", "/signup",
                body: ["data": .object(data ?? [:]), "gotrue_meta_security": captcha(captchaToken)]))
    }

    /// Signs in with an ID token from a provider's sheet, such as Apple's or Google's.
    ///
    /// - Throws: An error with a ``AuthClientError/linkQuestion`` if the address already belongs to an account;
    ///   `refused` with status 400 for an invalid token; `provider_disabled`.
    @discardableResult
    public func signInWithIdToken(credentials: IDTokenCredentials) async throws -> AuthSession {
        try await signIn(.idToken(credentials))
    }

    /// Links a provider's identity to the signed-in account.
    ///
    /// - Returns: As ``confirmLink(_:)``.
    /// - Throws: `identity_already_exists`, `manual_linking_disabled`, `fresh_sign_in_required`.
    @discardableResult
    public func linkIdentityWithIdToken(credentials: IDTokenCredentials) async throws -> AuthSession {
        try await signInAsUser(.idToken(credentials, links: true))
    }

    /// Returns the URL that starts a provider's browser sign-in with PKCE. Pass the redirect to ``session(from:)`` on
    /// this device, which stores the verifier.
    ///
    /// Prefer ``signInWithOAuth(provider:scopes:queryParams:in:)``, unless the system may terminate the app while the
    /// browser is open.
    ///
    /// ```swift
    /// let start = try await client.getOAuthSignInURL(provider: .google, redirectTo: redirectTo)
    /// openURL(start)
    /// // Later, in `onOpenURL`:
    /// let session = try await client.session(from: url)
    /// ```
    ///
    /// - Parameters:
    ///   - scopes: Further scopes in the provider's syntax.
    ///   - redirectTo: An allowed redirect URL, used byte for byte.
    ///   - queryParams: For the provider, such as `prompt`.
    /// - Throws: ``AuthClientError/storeUnavailable(_:)`` or ``AuthClientError/storeFailed(_:)``.
    public func getOAuthSignInURL(
        provider: AuthProvider, scopes: String? = nil, redirectTo: URL? = nil,
        queryParams: [(name: String, value: String?)] = []
    ) async throws -> URL {
        let flow = try await flows.begin(.signIn)
        return try caller.address(.authorize("/authorize", provider, scopes, redirectTo, queryParams, flow))
    }

    /// Completes a browser's or emailed link's flow, with the verifiers of this device's newest 5 flows.
    ///
    /// - Throws: `unknownFlow` if none is pending here, `bad_code_verifier`, `flow_state_not_found`,
    ///   `flow_state_expired`: the flow stays open for another code. With a ``AuthClientError/linkQuestion``, or
    ///   `sessionChanged` if it changed another account than the signed-in one, the flow is over.
    @discardableResult
    public func exchangeCodeForSession(authCode: String) async throws -> AuthSession {
        try await exchange(authCode, replacing: nil)
    }

    private func exchange(_ authCode: String, replacing: SwitchConfirmation?) async throws -> AuthSession {
        var last = AuthClientError.unknownFlow
        for flow in try await flows.newestFirst() {
            do {
                return try await exchange(authCode, for: flow, replacing: replacing)
            } catch AuthClientError.refused(let refusal) where refusal.code == .badCodeVerifier {
                last = .refused(refusal)
            }
        }
        throw last
    }

    func exchange(_ code: String, for flow: PendingFlow, replacing: SwitchConfirmation? = nil) async throws
        -> AuthSession
    {
        let request = AuthRequest(
            "POST", "/token", query: [("grant_type", "pkce")],
            body: ["auth_code": .string(code), "code_verifier": .string(flow.verifier)])
        do {
            let session =
                switch flow.kind {
                case .signIn: try await signIn(request, replacing: replacing)
                case .recovery: try await signIn(request, then: .passwordRecovery, replacing: replacing)
                case .link, .emailChange: try await change(request, flow.kind)
                }
            await forget(flow)
            return session
        } catch let error as AuthClientError where error == .sessionChanged || error == .cancelled {
            await forget(flow)
            throw error
        } catch AuthClientError.refused(let refusal) where refusal.linkQuestion != nil {
            await forget(flow)
            throw AuthClientError.refused(refusal)
        }
    }

    /// Another account's session is ended. After a sign-out, a confirmed address signs in; a link does not.
    private func change(_ request: AuthRequest, _ kind: FlowKind) async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let timed = try await caller.session(request)
        let old = await currentSession
        let isForeign = old.map { $0.user.id != timed.answer.user.id } ?? (kind == .link)
        guard !isForeign else {
            await end(timed.answer)
            throw AuthClientError.sessionChanged
        }
        return try await adopt(timed, begun: begun, insteadOf: old)
    }

    /// The code is used or lost, so a leftover is harmless.
    func forget(_ flow: PendingFlow) async {
        do {
            try await flows.finish(flow)
        } catch {
            await coordinator.notify(.storeFailed(StoreProblem(error)))
        }
    }

    /// Completes a flow with the redirect's URL. Ignores tokens in it.
    ///
    /// - Throws: ``AuthClientError/refused(_:)`` with status 0 if the URL contains an error, such as `access_denied`
    ///   after cancelling; ``AuthClientError/unknownFlow`` without a code; otherwise as
    ///   ``exchangeCodeForSession(authCode:)``.
    @discardableResult
    public func session(from url: URL) async throws -> AuthSession {
        try await exchangeCodeForSession(authCode: url.redirectCode)
    }

    /// As ``session(from:)``, but asks before replacing another signed-in user: an emailed link may be someone else's.
    ///
    /// - Parameter replacing: Receives the new user. false keeps the signed-in one, and ends the new session.
    /// - Throws: As ``session(from:)``; ``AuthClientError/cancelled`` if the user stays.
    @discardableResult
    public func session(
        from url: URL, replacing: @escaping @Sendable (_ user: AuthUser) async -> Bool
    ) async throws -> AuthSession {
        try await exchange(url.redirectCode, replacing: replacing)
    }

    /// Starts a flow if the request has a redirect URL.
    @discardableResult
    func begin(_ kind: FlowKind, when redirect: URL?, in request: inout AuthRequest) async throws -> PendingFlow? {
        guard redirect != nil else { return nil }
        let flow = try await flows.begin(kind)
        for (name, value) in flow.members { request.body?[name] = .string(value) }
        return flow
    }
}

extension AuthRequest {
    static func idToken(_ credentials: IDTokenCredentials, links: Bool = false) -> AuthRequest {
        AuthRequest(
            "POST", "/token", query: [("grant_type", "id_token")],
            body: [
                "provider": .string(credentials.provider.rawValue), "id_token": .string(credentials.idToken),
                "access_token": credentials.accessToken.json, "nonce": credentials.nonce.json,
                "link_identity": links ? true : nil, "user": credentials.name?.json,
                "authorization_code": credentials.authorizationCode.json,
            ])
    }

    static func authorize(
        _ path: String, _ provider: AuthProvider, _ scopes: String?, _ redirectTo: URL?,
        _ further: [(name: String, value: String?)], _ flow: PendingFlow
    ) -> AuthRequest {
        let own: [(name: String, value: String?)] = [
            ("provider", provider.rawValue), ("scopes", scopes), ("redirect_to", redirectTo?.absoluteString),
        ]
        return AuthRequest("GET", path, query: own + further + flow.members.map { ($0.name, Optional($0.value)) })
    }
}
