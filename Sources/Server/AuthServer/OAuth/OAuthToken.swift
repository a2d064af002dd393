import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension OAuthTokenHandlers {
    /// RFC 6749 §4.1.3 and §6, RFC 8628 §3.4.
    @Sendable func token(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        let fields = try await OAuthFields(body: request, context)
        guard let name = fields["grant_type"] else {
            throw OAuthProblem.invalidRequest("grant_type is required").refusal
        }
        let client = try await clients.authenticated(fields, request, context)
        guard let grant = OAuthClient.Grant(text: name) else {
            throw Refusal.oauth("unsupported_grant_type", "The grant type is not supported")
        }
        guard client.metadata.grants.contains(grant) else {
            throw Refusal.oauth("unauthorized_client", "The client is not registered for this grant type")
        }
        let device = try callers.device(request, context)
        let resources: [String]
        do throws(OAuthProblem) { resources = try requests.resources(fields, rules) } catch { throw error.refusal }
        switch grant {
        case .authorizationCode: return try await trade(try authorizationCode(fields), client, resources, device)
        case .deviceCode:
            guard let code = fields["device_code"] else {
                throw OAuthProblem.invalidRequest("device_code is required").refusal
            }
            return try await trade(.device(Secret(code)), client, resources, device)
        case .refreshToken: return try await refresh(fields, client, resources, device)
        }
    }

    private func authorizationCode(_ fields: OAuthFields) throws -> OAuthCode {
        guard let code = fields["code"] else { throw OAuthProblem.invalidRequest("code is required").refusal }
        guard let verifier = fields["code_verifier"], (43...128).contains(verifier.utf8.count) else {
            throw OAuthProblem.invalidRequest("code_verifier must have 43 to 128 characters").refusal
        }
        return .authorization(Secret(code), verifier: Secret(verifier), redirectURI: fields["redirect_uri"])
    }

    private func trade(
        _ code: OAuthCode, _ client: OAuthClient, _ resources: [String], _ device: Device
    ) async throws -> Response {
        let outcome = try await server.tokens.issuing(to: device) {
            try await $0.oauth.redeem(
                code, by: client, resources: resources.isEmpty ? nil : resources, from: device, at: $1)
        }
        counts.signIns.increment("oauth_client", outcome.label)
        switch outcome {
        case .opened(let issued, let authorization):
            return try answer(
                issued, try server.tokens.accessToken(issued), client, nonce: authorization.request.nonce)
        case .invalid: throw Refusal.oauth("invalid_grant", "The code is unknown, used or expired")
        case .wrongVerifier: throw Refusal.oauth("invalid_grant", "code_verifier does not fit the challenge")
        case .wrongRedirectURI: throw Refusal.oauth("invalid_grant", "redirect_uri is not that of the request")
        case .wrongResource: throw Refusal.oauth("invalid_target", "The user has not approved this resource")
        case .banned: throw Refusal.oauth("invalid_grant", "The user is banned")
        case .pending: throw Refusal.oauth("authorization_pending", "The user has not decided yet")
        case .slowDown: throw Refusal.oauth("slow_down", "Wait five seconds between two requests")
        case .denied: throw Refusal.oauth("access_denied", "The user denied the request")
        case .expired: throw Refusal.oauth("expired_token", "The device code has expired")
        }
    }

    private func refresh(
        _ fields: OAuthFields, _ client: OAuthClient, _ resources: [String], _ device: Device
    ) async throws -> Response {
        guard let token = fields["refresh_token"] else {
            throw OAuthProblem.invalidRequest("refresh_token is required").refusal
        }
        // Before the token is exchanged: a refusal changes nothing.
        if fields["scope"] != nil || !resources.isEmpty,
            let session = try await accounts.oauth.session(of: Secret(token), at: runtime.now())?.session
        {
            _ = try narrowed(session.client, to: fields["scope"], resources)
        }
        let outcome = try await accounts.oauth.refresh(Secret(token), of: client, from: device, at: runtime.now())
        switch outcome {
        case .issued(let issued, let verdict):
            counts.refreshes.increment(verdict.rawValue)
            let part = try narrowed(issued.session.client, to: fields["scope"], resources)
            let narrowed = part.map(issued.for) ?? issued
            return try answer(
                narrowed, try await server.tokens.refreshedToken(narrowed, to: device), client, nonce: nil)
        case nil, .unknown, .ahead:
            throw Refusal.oauth("invalid_grant", "The refresh token is unknown or its session has ended")
        case .unproven: throw Refusal.unproven
        case .reused: throw Refusal.oauth("invalid_grant", "The refresh token was used before")
        case .expired: throw Refusal.oauth("invalid_grant", "The session has expired")
        case .banned: throw Refusal.oauth("invalid_grant", "The user is banned")
        }
    }

    /// The access token may be for less than the user approved; the refresh token stays as it is.
    private func narrowed(
        _ client: SessionClient?, to scope: String?, _ resources: [String]
    ) throws -> SessionClient? {
        guard var part = client else { return nil }
        if let scope {
            guard let asked = OAuthScopes(scope), !asked.names.isEmpty, part.scopes.covers(asked) else {
                throw Refusal.oauth("invalid_scope", "The user has not approved this scope")
            }
            part.scopes = asked
        }
        if !resources.isEmpty {
            guard resources.allSatisfy({ part.resources.contains($0) }) else {
                throw Refusal.oauth("invalid_target", "The user has not approved this resource")
            }
            part.resources = resources
        }
        return part
    }

    private func answer(
        _ issued: IssuedSession, _ signed: SignedToken, _ client: OAuthClient, nonce: String?
    ) throws -> Response {
        let scopes = issued.session.client?.scopes ?? OAuthScopes(trusted: [])
        let idToken = scopes.contains(OAuthScopes.openID) ? try self.idToken(issued, signed, client, nonce: nonce) : nil
        let hasRefresh = client.metadata.grants.contains(.refreshToken)
        return Answer.json(capacity: 3_072) { writer in
            writer.beginObject()
            writer.member("access_token", signed.text)
            writer.member("token_type", issued.session.keyThumbprint == nil ? "bearer" : "DPoP")
            writer.member("expires_in", signed.lifetime)
            writer.member("expires_at", signed.expiresAt)
            if hasRefresh { writer.member("refresh_token", issued.refreshToken.reveal()) }
            writer.member("id_token", ifPresent: idToken)
            writer.member("scope", scopes.text)
            writer.endObject()
        }.unstored
    }
}

extension OAuthRedemption {
    fileprivate var label: String {
        switch self {
        case .opened: "signed_in"
        case .invalid: "invalid"
        case .wrongVerifier: "wrong_verifier"
        case .wrongRedirectURI: "wrong_redirect_uri"
        case .wrongResource: "wrong_resource"
        case .banned: "banned"
        case .pending: "pending"
        case .slowDown: "slow_down"
        case .denied: "denied"
        case .expired: "expired"
        }
    }
}
