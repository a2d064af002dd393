public import Foundation

extension GatehouseClient {
    /// Creates an account, and signs in if the server requires no confirmation.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 1,024 bytes.
    ///   - data: The account's metadata, from which its profile takes name and picture.
    ///   - redirectTo: The target of the mail's link, sent byte for byte. Its code is valid on this device only.
    /// - Throws: ``AuthClientError``. The previous session stays active. Codes: `user_already_exists`; `weak_password`,
    ///   with ``AuthRefusal/weakPasswordReasons``; `signup_disabled`; `email_provider_disabled`.
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
            // No mail brings a code.
            if let flow, answer.session != nil { await forget(flow) }
            return answer
        } catch AuthClientError.refused(let refusal) {
            if let flow { await forget(flow) }
            throw AuthClientError.refused(refusal)
        }
    }

    /// Signs in with a password.
    ///
    /// - Throws: ``AuthClientError``. The previous session stays active. Codes: `invalid_credentials` for both an
    ///   unknown account and a wrong password; `email_not_confirmed`, `credential_set_aside` and `user_banned`, for the correct password only;
    ///   `over_request_rate_limit`, with ``AuthRefusal/retryAfter``. After `credential_set_aside` the password signs in with
    ///   the code that the server has emailed: ``verifyOTP(email:token:type:password:captchaToken:)``.
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

    /// Creates an account without email address and password. If its session is lost, the account is inaccessible.
    ///
    /// - Throws: ``AuthClientError``, with the code `anonymous_provider_disabled` if the server does not allow this.
    ///   The previous session stays active.
    @discardableResult
    public func signInAnonymously(
        data: AuthJSONObject? = nil, captchaToken: String? = nil
    ) async throws -> AuthSession {
        try await signIn(
            AuthRequest(
                "POST", "/signup",
                body: ["data": .object(data ?? [:]), "gotrue_meta_security": captcha(captchaToken)]))
    }

    /// Signs in with an ID token from the sign-in sheet of Apple, Google or another provider. For an answer to a
    /// ``AuthLinkQuestion``, see ``confirmLink(_:email:password:)``.
    ///
    /// - Throws: ``AuthClientError``, with a ``AuthClientError/linkQuestion`` if the address already belongs to an
    ///   account; `refused` with status 400 if the server does not accept the token, and with the code
    ///   `provider_disabled` if the provider is disabled. The previous session stays active.
    @discardableResult
    public func signInWithIdToken(credentials: IDTokenCredentials) async throws -> AuthSession {
        try await signIn(.idToken(credentials))
    }

    /// Links a provider's identity to the signed-in account.
    ///
    /// - Returns: A new session of the same account; the previous one if only that one had the second factor.
    /// - Throws: ``AuthClientError``: `signedOut` without a session. Codes: `identity_already_exists` if the identity
    ///   already belongs to an account; `manual_linking_disabled`; `fresh_sign_in_required` if the server requires a
    ///   recent sign-in.
    @discardableResult
    public func linkIdentityWithIdToken(credentials: IDTokenCredentials) async throws -> AuthSession {
        try await signInAsUser(.idToken(credentials, links: true))
    }

    /// Returns the URL that starts a browser sign-in with a provider, with a PKCE challenge whose verifier stays on
    /// this device. Pass the URL that the browser returns with to ``session(from:)`` on this device; its code is
    /// invalid on others.
    ///
    /// Prefer ``signInWithOAuth(provider:scopes:queryParams:in:)``, which does all three steps. This call is for apps
    /// that the system may end while the browser is open: the verifier is stored.
    ///
    /// ```swift
    /// let start = try await client.getOAuthSignInURL(provider: .google, redirectTo: redirectTo)
    /// openURL(start)
    /// // Later, in `onOpenURL`:
    /// let session = try await client.session(from: url)
    /// ```
    ///
    /// - Parameters:
    ///   - scopes: Additional scopes in the provider's syntax.
    ///   - redirectTo: A redirect URL that the server allows, used byte for byte.
    ///   - queryParams: Parameters for the provider, such as `prompt`.
    /// - Throws: ``AuthClientError/storeUnavailable(_:)`` or ``AuthClientError/storeFailed(_:)`` if the verifier could
    ///   not be stored.
    public func getOAuthSignInURL(
        provider: AuthProvider, scopes: String? = nil, redirectTo: URL? = nil,
        queryParams: [(name: String, value: String?)] = []
    ) async throws -> URL {
        let flow = try await flows.begin(.signIn)
        return try caller.address(.authorize("/authorize", provider, scopes, redirectTo, queryParams, flow))
    }

    /// Completes a browser flow or a flow started by a mail's link. Tries the verifiers of the newest 5 flows of this
    /// device.
    ///
    /// - Throws: ``AuthClientError``: `unknownFlow` if no flow is pending on this device; the code `bad_code_verifier`
    ///   if the code belongs to none of them, `flow_state_not_found` or `flow_state_expired` if it is used or expired.
    ///   The previous session stays active, and the flow can still be completed with another code. With a
    ///   ``AuthClientError/linkQuestion`` the flow is over. So it is with `sessionChanged`: the flow linked a provider to,
    ///   or changed the address of, another account than the signed-in one.
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

    /// Makes the call that completes a change of the signed-in user's account. The session of another account does not
    /// replace that user's, and ends. After a sign-out, a confirmed address signs in, and a link does not.
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

    /// The flow's code is used or lost, so a flow that remains in a failing store is harmless.
    func forget(_ flow: PendingFlow) async {
        do {
            try await flows.finish(flow)
        } catch {
            await coordinator.notify(.storeFailed(StoreProblem(error)))
        }
    }

    /// Completes a flow with the URL that the browser returned with. Ignores tokens in the URL.
    ///
    /// - Throws: ``AuthClientError/refused(_:)`` with status 0 if the URL contains an error, usually with the code
    ///   `access_denied` if the user cancelled; ``AuthClientError/unknownFlow`` if it contains no code; otherwise as
    ///   ``exchangeCodeForSession(authCode:)``.
    @discardableResult
    public func session(from url: URL) async throws -> AuthSession {
        try await exchangeCodeForSession(authCode: url.redirectCode)
    }

    /// The same, but asks before the session replaces that of another signed-in user: a link in a mail may be someone else's.
    ///
    /// - Parameter replacing: Gets the user of the new session. If it returns false, the signed-in user stays, and the new
    ///   session ends.
    /// - Throws: As ``session(from:)``; ``AuthClientError/cancelled`` if the user stays.
    @discardableResult
    public func session(
        from url: URL, replacing: @escaping @Sendable (_ user: AuthUser) async -> Bool
    ) async throws -> AuthSession {
        try await exchange(url.redirectCode, replacing: replacing)
    }

    /// Starts a flow if the request has a redirect URL, and adds the challenge to the request.
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
