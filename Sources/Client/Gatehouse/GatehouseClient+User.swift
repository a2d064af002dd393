public import Foundation

extension GatehouseClient {
    /// Fetches the user, and updates the stored session.
    ///
    /// - Parameter jwt: Another user's access token; nil for the session's own.
    /// - Throws: `bad_jwt` for an invalid `jwt`.
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

    /// Changes the signed-in user's account. A new email address or telephone number must be confirmed first, unless the
    /// server confirms automatically. A new password ends the user's other sessions.
    ///
    /// - Parameter redirectTo: The emailed link's target, used byte for byte.
    /// - Throws: `email_exists`; `phone_exists`; `phone_provider_disabled`; `weak_password`, with ``AuthRefusal/weakPasswordReasons``; `same_password`;
    ///   `current_password_required`; `current_password_invalid`; `reauthentication_needed`;
    ///   `reauthentication_not_valid`; `fresh_sign_in_required`. After `offline` or status 5xx, the change may have
    ///   taken effect.
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

    /// Moves the account's address to a new account and signs in there, for a user who reads the mailbox but cannot
    /// pass the second factor or does not recognize the account. The old account loses only the address and this
    /// session; its password still signs in with the address.
    ///
    /// - Throws: `fresh_sign_in_required` unless the session began with an emailed code or link in the last ten
    ///   minutes; `validation_failed` without an address; `signup_disabled`.
    @discardableResult
    public func startOver() async throws -> AuthSession {
        let begun = try await coordinator.beginSignIn()
        let previous = await currentUser
        let timed = try await asUser { token, _ in
            try await self.caller.session(AuthRequest("POST", "/user/start-over"), bearer: token)
        }
        let session = try await coordinator.adopt(timed, begun: begun)
        // Ignored: the old account stays listed, signed out.
        if let parked, let previous { await unlist(previous.id, parked) }
        return session
    }

    /// Emails a code, or texts it to an account without address: the `nonce` for ``update(user:redirectTo:)``.
    ///
    /// - Throws: `over_email_send_rate_limit`, `over_sms_send_rate_limit`, `email_provider_disabled`.
    public func reauthenticate() async throws {
        try await asUser { token, _ in
            _ = try await self.caller.send(AuthRequest("GET", "/reauthenticate"), bearer: token)
        }
    }

    /// Fetches the user's sign-in methods.
    public func userIdentities() async throws -> [AuthUserIdentity] { try await user().identities ?? [] }

    /// Removes a sign-in method, then fetches the user. If that fails, the stored user still loses the method.
    ///
    /// - Throws: `unexpectedAnswer` without ``AuthUserIdentity/identityID``, `single_identity_not_deletable`,
    ///   `identity_not_found`, `email_conflict_identity_not_deletable`, `fresh_sign_in_required`.
    public func unlinkIdentity(_ identity: AuthUserIdentity) async throws {
        guard let id = identity.identityID else {
            throw AuthClientError.unexpectedAnswer("identity.identity_id: expected a UUID")
        }
        let request = AuthRequest("DELETE", "/user/identities/" + id.uuidString.lowercased())
        try await asUser { token, epoch in
            _ = try await self.caller.send(request, bearer: token)
            await self.coordinator.remove(identity: id, startedIn: epoch)
        }
        // Ignored: later calls fetch the account.
        _ = try? await user()
    }

    /// Returns the URL that starts linking a provider in a browser. Complete it with ``session(from:)``.
    ///
    /// - Parameters: As for ``getOAuthSignInURL(provider:scopes:redirectTo:queryParams:)``.
    /// - Throws: `storeUnavailable`, `storeFailed`, `manual_linking_disabled`, `provider_disabled`,
    ///   `fresh_sign_in_required`.
    public func getLinkIdentityURL(
        provider: AuthProvider, scopes: String? = nil, redirectTo: URL? = nil,
        queryParams: [(name: String, value: String?)] = []
    ) async throws -> OAuthRequest {
        let flow = try await flows.begin(.link)
        let url = try await linkAddress(provider, scopes, redirectTo, queryParams, flow)
        return OAuthRequest(provider: provider, url: url)
    }

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

    /// Signs out, even offline, and deletes the stored session. ``AuthSignOutScope/others`` keeps this session. A child
    /// session signs out only itself.
    ///
    /// - Returns: Whether the server revoked the sessions.
    /// - Throws: `storeFailed` if the stored session could not be deleted; the client is signed out until the next
    ///   launch. With ``AuthSignOutScope/others``, any error.
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

    /// Gets a new access token if necessary.
    @discardableResult
    func revoke(_ old: KeptSession?, _ request: AuthRequest) async -> SignOutOutcome {
        guard let old else { return .revoked }
        do {
            var token = old.session.accessToken
            if old.remaining(at: caller.clock.uptime()) == .zero {
                token = try await refreshed(old).answer.accessToken
            }
            let isOfChild = AccessTokenClaims(token)?.isOfChild ?? false
            _ = try await caller.send(isOfChild ? .signOutHere : request, bearer: token)
            return .revoked
        } catch AuthClientError.refused(let refusal) where refusal.isFinal {
            return .revoked
        } catch let error as AuthClientError {
            return .notRevoked(error)
        } catch {
            return .notRevoked(.offline(.noAnswer(error.shortText)))
        }
    }

    private func refreshed(_ old: KeptSession) async throws -> TimedAnswer {
        let key: OpenKey? = old.key.flatMap { stored in
            // Ignored: the server then refuses, and the session expires later.
            (try? caller.keys.open(stored)).map { OpenKey(stored: stored, signer: $0) }
        }
        return try await caller.refreshed(old.session.refreshToken, with: key)
    }

    /// If the token is refused, refreshes and repeats once. Ends the session if the server has.
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
    /// Whether another token of the session may be accepted.
    fileprivate var isAboutTheToken: Bool {
        (status == 401 && (code == nil || code == .noAuthorization)) || code == .badJWT
    }
}
