import AccountDomain
import AccountStore
import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

extension OAuthTokenHandlers {
    /// The audience of access tokens for no other resource.
    static func userInfoURL(_ base: String) -> String { "\(base)/oauth/userinfo" }

    /// OpenID Connect Core §2.
    func idToken(_ issued: IssuedSession, _ access: SignedToken, _ client: OAuthClient, nonce: String?) throws -> String
    {
        let session = issued.session
        let now = runtime.now().seconds
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("aud", client.publicID)
        writer.member("exp", now + settings.accessTokenLifetime.components.seconds)
        writer.member("iat", now)
        if let time = session.client?.signedInAt { writer.member("auth_time", time.seconds) }
        writer.member("nonce", ifPresent: nonce)
        writer.member("acr", session.assuranceLevel.rawValue)
        writer.member("sid", session.id.text)
        if keys.signingAlgorithm?.rawValue.hasSuffix("256") == true {
            let half = SHA256.hash(data: Array(access.text.utf8)).prefix(16)
            writer.member("at_hash", Base64URL.text(Array(half)))
        }
        writer.claims(of: issued.account.user, session.client?.scopes ?? OAuthScopes(trusted: []))
        writer.endObject()
        return try keys.sign(writer.bytes)
    }

    /// OpenID Connect Core §5.3.
    @Sendable func showUserInfo(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let bound = Self.boundToken(request)
        guard let token = bound ?? request.headers.bearerToken else {
            throw Self.badBearer(nil, "A bearer token is required")
        }
        guard let session = try await active(token, forAudience: Self.userInfoURL(settings.externalURL)),
            let scopes = session.scopes
        else { throw Self.badBearer("invalid_token", "The access token is invalid, expired or for another audience") }
        let key = session.claims.members["cnf"]?["jkt"]?.stringValue
        let proof = try callers.keyProof(request, accessToken: token)
        guard key == nil && bound == nil || key != nil && bound != nil && proof?.thumbprint == key else {
            throw Self.badBearer(
                "invalid_token", "The access token is bound to a key, and needs the scheme DPoP with a proof")
        }
        guard scopes.contains(OAuthScopes.openID) else {
            throw Self.badBearer("insufficient_scope", "The access token lacks the scope openid")
        }
        let user = session.account.user
        return Answer.json { writer in
            writer.beginObject()
            writer.claims(of: user, scopes)
            writer.endObject()
        }
    }

    /// RFC 9449 §7.1.
    private static func boundToken(_ request: Request) -> String? {
        guard let header = request.headers[.authorization], header.cut(to: 5).lowercased() == "dpop " else {
            return nil
        }
        return String(Substring(header.utf8.dropFirst(5)))
    }

    struct ActiveToken {
        let claims: TokenClaims
        let session: Session
        let account: Account
        /// Of the token, which may have fewer than the session.
        let scopes: OAuthScopes?
    }

    /// nil unless it is a client's access token whose session is active.
    ///
    /// - Parameter audience: nil for any.
    func active(_ token: String, forAudience audience: String?) async throws -> ActiveToken? {
        let claims: TokenClaims
        do throws(TokenRejection) { claims = try keys.verify(token).claims } catch { return nil }
        guard claims.issuer == settings.issuer, let subject = claims.subject.flatMap({ UserID($0) }),
            let id = claims.sessionID.flatMap({ SessionID($0) }), claims.members["client_id"]?.stringValue != nil,
            audience.map({ claims.audience.contains($0) }) ?? true,
            let current = try await accounts.current(subject, session: id), let session = current.session,
            session.client != nil, !accounts.policy.hasEnded(session, at: runtime.now()),
            current.account.user.times.deletedAt == nil, !current.account.user.isBanned(at: runtime.now())
        else { return nil }
        let scopes = (claims.members["scope"]?.stringValue).flatMap(OAuthScopes.init)
        return ActiveToken(claims: claims, session: session, account: current.account, scopes: scopes)
    }

    /// RFC 6750 §3.
    private static func badBearer(_ error: String?, _ description: String) -> Refusal {
        let challenge = error.map { ", error=\"\($0)\", error_description=\"\(description)\"" } ?? ""
        return .oauth(
            error ?? "invalid_request", description, status: error == "insufficient_scope" ? .forbidden : .unauthorized,
            headers: [.wwwAuthenticate: "Bearer realm=\"oauth\"" + challenge])
    }
}

extension TokenIssuing {
    /// RFC 9068 §2.2: only what the scopes allow. The audience keeps it out of the user's own API.
    func clientClaims(
        of issued: IssuedSession, _ client: SessionClient, issuedAt: Int64, expiresAt: Int64
    ) -> [UInt8] {
        let (session, user) = (issued.session, issued.account.user)
        let audience =
            client.resources.isEmpty ? [OAuthTokenHandlers.userInfoURL(settings.externalURL)] : client.resources
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("iss", settings.issuer)
        writer.member("sub", user.id.text)
        if audience.count == 1 {
            writer.member("aud", audience[0])
        } else {
            writer.member("aud", .array(audience.map(AuthJSON.string)))
        }
        writer.member("exp", expiresAt)
        writer.member("iat", issuedAt)
        writer.member("jti", Self.tokenID(of: session, client, issuedAt: issuedAt))
        writer.member("client_id", client.publicID)
        writer.member("scope", client.scopes.text)
        writer.member("role", user.role)
        writer.member("aal", session.assuranceLevel.rawValue)
        writer.member("acr", session.assuranceLevel.rawValue)
        writer.member("amr", json: session.authenticationMethods)
        if let time = client.signedInAt { writer.member("auth_time", time.seconds) }
        writer.member("session_id", session.id.text)
        writer.member("is_anonymous", user.isAnonymous)
        if let thumbprint = session.keyThumbprint { writer.confirmation(thumbprint) }
        if client.scopes.contains(OAuthScopes.email) { writer.member("email", user.email ?? "") }
        if client.scopes.contains(OAuthScopes.phone) { writer.member("phone", user.phone ?? "") }
        writer.endObject()
        return writer.bytes
    }
}

extension TokenIssuing {
    /// The same for the same token, which a hook agrees to before it is issued.
    fileprivate static func tokenID(of session: Session, _ client: SessionClient, issuedAt: Int64) -> String {
        let parts = [session.id.text, String(session.counter), String(issuedAt), client.scopes.text] + client.resources
        return Base64URL.text(Array(SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16)))
    }
}

extension JSONWriter {
    /// `sub`, and the claims of OpenID Connect Core §5.4's scopes.
    fileprivate mutating func claims(of user: User, _ scopes: OAuthScopes) {
        member("sub", user.id.text)
        if scopes.contains(OAuthScopes.email), let email = user.email {
            member("email", email)
            member("email_verified", user.times.emailConfirmedAt != nil)
        }
        if scopes.contains(OAuthScopes.phone), let phone = user.phone {
            member("phone_number", "+" + phone)
            member("phone_number_verified", user.times.phoneConfirmedAt != nil)
        }
        guard scopes.contains(OAuthScopes.profile) else { return }
        // Ignored: our own JSON, so it parses.
        let metadata = (try? JSONReader.read(user.userMetadata)) ?? .null
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { metadata[$0]?.stringValue }.first { !$0.isEmpty }
        }
        member("name", ifPresent: text("name", "full_name", "display_name"))
        member("given_name", ifPresent: text("given_name", "first_name"))
        member("family_name", ifPresent: text("family_name", "last_name"))
        member("preferred_username", ifPresent: text("preferred_username", "user_name"))
        if let picture = text("picture", "avatar_url"), WebAddress.isPicture(picture) { member("picture", picture) }
        member("updated_at", user.times.updatedAt.seconds)
    }
}
