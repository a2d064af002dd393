import GatehouseWire

// Access of apps and agents to the signed-in user's account, on a server that is their OAuth server.
extension GatehouseClient {
    /// Fetches a request for access, for the user's decision. The first user who looks owns the request.
    ///
    /// - Throws: `oauth_authorization_not_found` for an unknown, expired or another user's request;
    ///   `validation_failed` if it is denied, or approved and used; `insufficient_aal`; `feature_disabled`.
    public func authorizationDetails(id: OAuthAuthorizationID) async throws -> OAuthAuthorizationDetailsResponse {
        try await authorization(AuthRequest("GET", "/oauth/authorizations/" + id.text))
    }

    /// Fetches the request of a device that shows this code
    /// ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)). Warn the user of codes that others send.
    ///
    /// - Throws: As ``authorizationDetails(id:)``; `over_request_rate_limit`, with ``AuthRefusal/retryAfter``.
    public func authorizationDetails(userCode: OAuthUserCode) async throws -> OAuthAuthorizationDetailsResponse {
        try await authorization(AuthRequest("GET", "/oauth/device", query: [("user_code", userCode.text)]))
    }

    /// Approves a request that ``authorizationDetails(id:)`` or ``authorizationDetails(userCode:)`` has returned.
    ///
    /// Repeat it after `offline`: the response is the same.
    ///
    /// - Returns: The URL to open, which contains a code for the client; nil for a device, which continues by itself.
    /// - Throws: `oauth_authorization_not_found`; `validation_failed` for a denied or used request;
    ///   `fresh_sign_in_required`, `insufficient_aal`.
    @discardableResult
    public func approveAuthorization(id: OAuthAuthorizationID) async throws -> OAuthRedirect? {
        try await decide(id, ["action": "approve"])
    }

    /// Denies a request. Needs no fresh proof. Repeat it after `offline`.
    ///
    /// - Parameter reporting: Reports the client to the server's operator.
    /// - Returns: The URL that tells the client, if the user wants to return; nil for a device.
    /// - Throws: `oauth_authorization_not_found`; `validation_failed` for an approved request.
    @discardableResult
    public func denyAuthorization(id: OAuthAuthorizationID, reporting: Bool = false) async throws -> OAuthRedirect? {
        try await decide(id, ["action": "deny", "report": reporting ? true : nil])
    }

    /// Gives up a request, so that another account can look at it and decide. Repeat it after `offline`.
    ///
    /// - Throws: `oauth_authorization_not_found`, for example if the call is repeated, and for a device's request.
    public func releaseAuthorization(id: OAuthAuthorizationID) async throws {
        try await asUser { token, _ in
            let request = AuthRequest("POST", "/oauth/authorizations/\(id.text)/release")
            _ = try await self.caller.send(request, bearer: token)
        }
    }

    /// Returns the user's undecided requests, newest first, at most 20.
    ///
    /// - Throws: `refused` with status 404 or 405 by hosted Supabase.
    public func pendingAuthorizations() async throws -> [OAuthAuthorizationDetails] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/oauth/authorizations"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in
                try OAuthAuthorizationDetails.list(json: json)
            }
        }
    }

    /// Returns the apps and agents with access, newest first.
    ///
    /// - Throws: `feature_disabled`.
    public func oauthGrants() async throws -> [OAuthGrant] {
        try await asUser { token, _ in
            let reply = try await self.caller.send(AuthRequest("GET", "/user/oauth/grants"), bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try OAuthGrant.list(json: json) }
        }
    }

    /// Ends an app's or agent's access and its sessions.
    ///
    /// - Parameter clientID: ``OAuthAuthorizationClient/id``.
    /// - Throws: `oauth_consent_not_found` without access, for example if the call is repeated.
    public func revokeOAuthGrant(clientID: String) async throws {
        try await asUser { token, _ in
            let request = AuthRequest("DELETE", "/user/oauth/grants", query: [("client_id", clientID)])
            _ = try await self.caller.send(request, bearer: token)
        }
    }

    private func authorization(_ request: AuthRequest) async throws -> OAuthAuthorizationDetailsResponse {
        try await asUser { token, _ in
            let reply = try await self.caller.send(request, bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in
                try OAuthAuthorizationDetailsResponse(json: json)
            }
        }
    }

    private func decide(_ id: OAuthAuthorizationID, _ body: [String: AuthJSON?]) async throws -> OAuthRedirect? {
        try await asUser { token, _ in
            let request = AuthRequest("POST", "/oauth/authorizations/\(id.text)/consent", body: body)
            let reply = try await self.caller.send(request, bearer: token)
            return try AuthCaller.read(reply) { json throws(WireProblem) in try OAuthRedirect.decision(json: json) }
        }
    }
}
