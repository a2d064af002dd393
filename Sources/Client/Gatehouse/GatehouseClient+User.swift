public import Foundation

extension GatehouseClient {
    /// Fetches the user from the server, and updates the stored session.
    ///
    /// - Parameter jwt: Another user's access token; nil for the session's own.
    /// - Throws: ``AuthClientError``: `signedOut` without a session or `jwt`; `refused` with `bad_jwt` for a `jwt` that
    ///   the server does not accept.
    @discardableResult
    public func user(jwt: String? = nil) async throws -> AuthUser {
        let request = AuthRequest("GET", "/user")
        if let jwt { return try await caller.user(request, bearer: jwt) }
        return try await asUser { token, epoch in
            let user = try await self.caller.user(request, bearer: token)
            await self.coordinator.replace(user, startedIn: epoch, event: nil)
            return user
        }
    }

    /// Changes the signed-in user's account. A new email address must be confirmed first, unless the server confirms
    /// automatically; the returned user then contains it. A new password ends the user's other sessions.
    ///
    /// - Parameter redirectTo: The target of the link in the confirmation mail, used byte for byte.
    /// - Throws: ``AuthClientError``: `signedOut` without a session. Codes: `email_exists`; `weak_password`, with
    ///   ``AuthRefusal/weakPasswordReasons``; `same_password`; `current_password_required` and
    ///   `current_password_invalid`; `reauthentication_needed` and `reauthentication_not_valid`;
    ///   `fresh_sign_in_required`. After `offline`, or `refused` with a status from 500 on, the change may have taken
    ///   effect.
    @discardableResult
    public func update(user: AuthUserAttributes, redirectTo: URL? = nil) async throws -> AuthUser {
        var request = AuthRequest(
            "PUT", "/user", query: [("redirect_to", redirectTo?.absoluteString)], body: user.body)
        try await begin(.emailChange, when: user.email == nil ? nil : redirectTo, in: &request)
        return try await asUser { [request] token, epoch in
            let changed = try await self.caller.user(request, bearer: token)
            await self.coordinator.replace(changed, startedIn: epoch, event: .userUpdated)
            await self.coordinator.forgetWindow(startedIn: epoch)
            return changed
        }
    }

    /// Moves the account's address to a new account and signs in to that one, for a user who reads the mailbox but cannot
    /// pass the account's second factor or does not recognize the account. The previous account keeps its data, sign-in
    /// methods, factors and other sessions, and loses only the address; its password still signs in with it.
    ///
    /// - Returns: A session of the new account. The previous session has ended.
    /// - Throws: ``AuthClientError``: `signedOut` without a session. Codes: `fresh_sign_in_required` unless the session began
    ///   with an emailed code or link at most ten minutes ago; `validation_failed` for an account without an address;
    ///   `signup_disabled`. The previous session stays active.
    @discardableResult
    public func startOver() async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let previous = await currentUser
        let timed = try await asUser { token, _ in
            try await self.caller.session(AuthRequest("POST", "/user/start-over"), bearer: token)
        }
        let session = try await coordinator.adopt(timed, begun: begun)
        // Ignored: the store's failure. The previous account stays in the list, signed out.
        if let parked, let previous { await unlist(previous.id, parked) }
        return session
    }

    /// Sends a code to the user's email address, for use as the `nonce` of ``update(user:redirectTo:)``.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session. Codes: `over_email_send_rate_limit`;
    ///   `email_provider_disabled` if the server sends no mail.
    public func reauthenticate() async throws {
        try await asUser { token, _ in
            _ = try await self.caller.send(AuthRequest("GET", "/reauthenticate"), bearer: token)
        }
    }

    /// Fetches the user's sign-in methods from the server.
    ///
    /// - Throws: ``AuthClientError``, `signedOut` without a session.
    public func userIdentities() async throws -> [AuthUserIdentity] { try await user().identities ?? [] }

    /// Removes a sign-in method, then fetches the changed user. If only the fetch fails, the stored user lacks the
    /// method nevertheless.
    ///
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `unexpectedAnswer` if the server did not send the
    ///   identity's id. Codes: `single_identity_not_deletable` for the last one; `identity_not_found`;
    ///   `email_conflict_identity_not_deletable`; `fresh_sign_in_required`.
    public func unlinkIdentity(_ identity: AuthUserIdentity) async throws {
        guard let id = identity.identityID else {
            throw AuthClientError.unexpectedAnswer("identity.identity_id: expected a UUID")
        }
        let request = AuthRequest("DELETE", "/user/identities/" + id.uuidString.lowercased())
        try await asUser { token, epoch in
            _ = try await self.caller.send(request, bearer: token)
            await self.coordinator.remove(identity: id, startedIn: epoch)
        }
        // Ignored: the method is removed, and later calls fetch the account.
        _ = try? await user()
    }

    /// Returns the URL that starts linking a provider in a browser. Complete it like a sign-in, with
    /// ``session(from:)``.
    ///
    /// - Parameters: As for ``getOAuthSignInURL(provider:scopes:redirectTo:queryParams:)``.
    /// - Throws: ``AuthClientError``: `signedOut` without a session; `storeUnavailable` or `storeFailed` if the
    ///   verifier could not be stored. Codes: `manual_linking_disabled`, `provider_disabled`, `fresh_sign_in_required`.
    public func getLinkIdentityURL(
        provider: AuthProvider, scopes: String? = nil, redirectTo: URL? = nil,
        queryParams: [(name: String, value: String?)] = []
    ) async throws -> OAuthRequest {
        let flow = try await flows.begin(.link)
        let url = try await linkAddress(provider, scopes, redirectTo, queryParams, flow)
        return OAuthRequest(provider: provider, url: url)
    }

    /// Requests the URL that starts linking a provider.
    func linkAddress(
        _ provider: AuthProvider, _ scopes: String?, _ redirectTo: URL?,
        _ queryParams: [(name: String, value: String?)],
        _ flow: PendingFlow
    ) async throws -> URL {
        var request = AuthRequest.authorize(
            "/user/identities/authorize", provider, scopes, redirectTo, queryParams, flow)
        request.query.append(("skip_http_redirect", "true"))
        return try await asUser { [request] token, _ in
            let reply = try await self.caller.send(request, bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in
                guard let url = json["url"]?.stringValue.flatMap({ URL(string: $0) }) else {
                    throw WireProblem("link.url: expected a URL")
                }
                return url
            }
        }
    }

    /// Signs out. Whatever the server answers, the client is signed out and the stored session deleted, except with
    /// ``AuthSignOutScope/others``, which keeps this session.
    ///
    /// - Returns: Whether the server ended the sessions too.
    /// - Throws: ``AuthClientError/storeFailed(_:)`` if the stored session could not be deleted; the client is then
    ///   signed out until the next start. With ``AuthSignOutScope/others``, any error of a call.
    @discardableResult
    public func signOut(scope: AuthSignOutScope = .global) async throws -> SignOutOutcome {
        let request = AuthRequest("POST", "/logout", query: [("scope", scope.rawValue)])
        if scope == .others {
            try await asUser { token, _ in _ = try await self.caller.send(request, bearer: token) }
            return .revoked
        }
        let (old, failure) =
            if let parked { await signOutListed(parked) } else { await coordinator.signOut(.requested) }
        let outcome = await revoke(old, request)
        if let failure { throw failure }
        return outcome
    }

    /// Ends a session that the client no longer uses. If its access token has expired, gets another one with its
    /// refresh token first.
    @discardableResult
    func revoke(_ old: KeptSession?, _ request: AuthRequest) async -> SignOutOutcome {
        guard let old else { return .revoked }
        do {
            var token = old.session.accessToken
            if old.remaining(at: caller.clock.uptime()) == .zero {
                token = try await caller.session(.refresh(old.session.refreshToken)).answer.accessToken
            }
            _ = try await caller.send(request, bearer: token)
            return .revoked
        } catch AuthClientError.refused(let refusal) where refusal.isFinal {
            return .revoked
        } catch let error as AuthClientError {
            return .notRevoked(error)
        } catch {
            return .notRevoked(.offline(.noAnswer(error.shortText)))
        }
    }

    /// Makes a call with the session's access token. If the server refuses the token, refreshes once and repeats the
    /// call. If the server states that the session has ended, ends it here too.
    @discardableResult
    func asUser<Value: Sendable>(
        _ call: @Sendable (_ token: String, _ epoch: Int) async throws -> Value
    ) async throws -> Value {
        let epoch = await coordinator.epoch
        let session = try await session
        do {
            return try await call(session.accessToken, epoch)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutTheToken {
            let other = try await refreshSession(insteadOf: session.accessToken)
            guard other.accessToken != session.accessToken, other.user.id == session.user.id else {
                throw AuthClientError.refused(refusal)
            }
            return try await call(other.accessToken, epoch)
        } catch AuthClientError.refused(let refusal) where refusal.isFinal {
            try await coordinator.endedByServer(refusal, accessToken: session.accessToken)
            if case .signedOut(let reason) = await coordinator.publicState { throw AuthClientError.signedOut(reason) }
            throw AuthClientError.refused(refusal)
        }
    }
}

extension AuthRefusal {
    /// Whether another access token of the same session may be accepted.
    fileprivate var isAboutTheToken: Bool {
        (status == 401 && (code == nil || code == .noAuthorization)) || code == .badJWT
    }
}
