public import Foundation

extension AuthClient {
    /// Makes an account, and signs in when the server asks for no confirmation.
    ///
    /// - Parameters:
    ///   - data: Becomes the account's metadata, and its profile's name and picture.
    ///   - redirectTo: Where the mail's link leads, byte for byte; its code then fits this device alone.
    /// - Throws: ``AuthClientError``; whoever was signed in still is.
    @discardableResult
    public func signUp(
        email: String, password: String, data: JSONObject? = nil, redirectTo: URL? = nil,
        captchaToken: String? = nil
    ) async throws -> AuthResponse {
        var request = AuthRequest(
            "POST", "/signup", query: [("redirect_to", redirectTo?.absoluteString)],
            body: [
                "email": .string(email), "password": .string(password), "data": data.map(AnyJSON.object),
                "gotrue_meta_security": captcha(captchaToken),
            ])
        try await begin(.signIn, when: redirectTo, in: &request)
        return try await respond(to: request)
    }

    /// Signs in with a password.
    ///
    /// - Throws: ``AuthClientError``, `invalid_credentials` for an unknown account and a wrong password alike;
    ///   whoever was signed in still is.
    @discardableResult
    public func signIn(email: String, password: String, captchaToken: String? = nil) async throws -> Session {
        try await signIn(
            AuthRequest(
                "POST", "/token", query: [("grant_type", "password")],
                body: [
                    "email": .string(email), "password": .string(password),
                    "gotrue_meta_security": captcha(captchaToken),
                ]))
    }

    /// Makes an account without address and password. When its session is lost, nobody can come back to it.
    @discardableResult
    public func signInAnonymously(
        data: JSONObject? = nil, captchaToken: String? = nil
    ) async throws -> Session {
        try await signIn(
            AuthRequest(
                "POST", "/signup",
                body: ["data": .object(data ?? [:]), "gotrue_meta_security": captcha(captchaToken)]))
    }

    /// Signs in with what Apple's, Google's or another provider's own sheet gave.
    ///
    /// - Throws: ``AuthClientError``, with a ``AuthClientError/linkQuestion`` when an account has the address already;
    ///   whoever was signed in still is.
    @discardableResult
    public func signInWithIdToken(credentials: OpenIDConnectCredentials) async throws -> Session {
        try await signIn(.idToken(credentials))
    }

    /// Adds a provider's sign-in to the account that is signed in.
    ///
    /// - Throws: ``AuthClientError``, `identity_already_exists` when it belongs to another account.
    @discardableResult
    public func linkIdentityWithIdToken(credentials: OpenIDConnectCredentials) async throws -> Session {
        try await signInAsUser(.idToken(credentials, links: true))
    }

    /// Where a browser starts to sign in with a provider. Give the address that it comes back with to
    /// ``session(from:)``; this device alone can use its code.
    ///
    /// - Parameters:
    ///   - scopes: Further scopes, as the provider spells them.
    ///   - redirectTo: Registered at the server; comes back byte for byte.
    ///   - queryParams: For the provider, such as `prompt`.
    public func getOAuthSignInURL(
        provider: Provider, scopes: String? = nil, redirectTo: URL? = nil,
        queryParams: [(name: String, value: String?)] = []
    ) async throws -> URL {
        let flow = try await flows.begin(.signIn)
        return try caller.address(.authorize("/authorize", provider, scopes, redirectTo, queryParams, flow))
    }

    /// Finishes a flow that a browser or a mail's link came back from.
    ///
    /// - Throws: ``AuthClientError/unknownFlow`` when this device began none; whoever was signed in still is, and
    ///   the flow can be finished with another code. With a ``AuthClientError/linkQuestion`` the flow is over.
    @discardableResult
    public func exchangeCodeForSession(authCode: String) async throws -> Session {
        var last = AuthClientError.unknownFlow
        for flow in try await flows.newestFirst() {
            do {
                return try await exchange(authCode, for: flow)
            } catch AuthClientError.refused(let refusal) where refusal.code == .badCodeVerifier {
                last = .refused(refusal)
            }
        }
        throw last
    }

    func exchange(_ code: String, for flow: PendingFlow) async throws -> Session {
        let request = AuthRequest(
            "POST", "/token", query: [("grant_type", "pkce")],
            body: ["auth_code": .string(code), "code_verifier": .string(flow.verifier)])
        do {
            let session = try await signIn(request, then: flow.kind == .recovery ? .passwordRecovery : nil)
            await forget(flow)
            return session
        } catch AuthClientError.refused(let refusal) where refusal.linkQuestion != nil {
            await forget(flow)
            throw AuthClientError.refused(refusal)
        }
    }

    /// The flow's code is used up, or nobody has it: what stays behind when the store fails opens nothing.
    func forget(_ flow: PendingFlow) async {
        do {
            try await flows.finish(flow)
        } catch {
            await coordinator.notify(.storeFailed(error.shortText))
        }
    }

    /// Finishes a flow with the whole address that came back.
    ///
    /// - Throws: ``AuthClientError/refused(_:)`` with what the address says went wrong (status 0), or
    ///   ``AuthClientError/unknownFlow`` when it holds no code. Tokens in the address are not taken.
    @discardableResult
    public func session(from url: URL) async throws -> Session {
        try await exchangeCodeForSession(authCode: url.redirectCode)
    }

    /// Makes a call whose answer may be a session, and keeps that.
    func respond(
        to request: AuthRequest, then event: AuthChangeEvent? = nil
    ) async throws -> AuthResponse {
        let begun = try await coordinator.beginSignIn()
        let (timed, answer) = try await caller.answer(request)
        switch answer {
        case .session(let session):
            return .session(try await coordinator.adopt(timed(session), begun: begun, then: event))
        case .user(let user): return .user(user)
        case .pending: return .pending
        }
    }

    /// Begins a flow when a redirect will bring something back, and writes it into the request.
    func begin(_ kind: FlowKind, when redirect: URL?, in request: inout AuthRequest) async throws {
        guard redirect != nil else { return }
        for (name, value) in try await flows.begin(kind).members { request.body?[name] = .string(value) }
    }
}

extension AuthRequest {
    static func idToken(_ credentials: OpenIDConnectCredentials, links: Bool = false) -> AuthRequest {
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
        _ path: String, _ provider: Provider, _ scopes: String?, _ redirectTo: URL?,
        _ further: [(name: String, value: String?)], _ flow: PendingFlow
    ) -> AuthRequest {
        let own: [(name: String, value: String?)] = [
            ("provider", provider.rawValue), ("scopes", scopes), ("redirect_to", redirectTo?.absoluteString),
        ]
        return AuthRequest("GET", path, query: own + further + flow.members.map { ($0.name, Optional($0.value)) })
    }
}

extension URL {
    /// The code that a redirect brought.
    ///
    /// - Throws: As ``AuthClient/session(from:)``.
    var redirectCode: String {
        get throws(AuthClientError) {
            let values = redirectValues
            // RFC 6749's word for "later" says more than the general one that stands beside it (§4.1.2.1).
            let isPassing = values["error"] == "temporarily_unavailable"
            if let error = isPassing ? values["error"] : values["error_code"] ?? values["error"] {
                let message = values["error_description"] ?? ""
                throw .refused(AuthRefusal(status: 0, code: AuthErrorCode(rawValue: error), message: message))
            }
            guard let code = values["code"] else { throw .unknownFlow }
            return code
        }
    }

    /// The values of the query, then of the fragment where the query has none of that name (contract 12.6, 7).
    var redirectValues: [String: String] {
        let whole = URLComponents(url: self, resolvingAgainstBaseURL: false)
        var (query, inFragment) = (URLComponents(), URLComponents())
        // Form encoding: a plus is a blank (contract 2.10).
        query.percentEncodedQuery = whole?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%20")
        inFragment.percentEncodedQuery = whole?.percentEncodedFragment?.replacingOccurrences(of: "+", with: "%20")
        var values: [String: String] = [:]
        for item in (inFragment.queryItems ?? []) + (query.queryItems ?? []) {
            guard let value = item.value, !value.isEmpty else { continue }
            values[item.name] = value
        }
        return values
    }
}
