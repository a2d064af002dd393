import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInApple {
    /// `/auth/token`: exchanges a code, or checks a refresh token. Every refusal has status 400.
    func token(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await request.form(context)
        let client = try authenticate(form)
        switch form["grant_type"] {
        case "authorization_code": return try await exchange(form, client)
        case "refresh_token": return try await refresh(form, client)
        case nil: throw OAuthRefusal.invalidRequest("grant_type is missing.")
        case .some:
            throw OAuthRefusal(
                .badRequest, "unsupported_grant_type", "grant_type has to be authorization_code or refresh_token.")
        }
    }

    /// The secret is always in the form.
    func authenticate(_ form: FormFields) throws(OAuthRefusal) -> String {
        guard let client = form["client_id"], let secret = form["client_secret"] else {
            throw OAuthRefusal(.badRequest, "invalid_client", "client_id and client_secret have to be in the form.")
        }
        guard client == registration.webClient || registration.apps.contains(client) else {
            throw OAuthRefusal(.badRequest, "invalid_client", "This client_id is not registered.")
        }
        try secrets.check(secret, of: client, at: world.now())
        return client
    }

    private func exchange(_ form: FormFields, _ client: String) async throws -> Response {
        guard let text = form["code"] else { throw OAuthRefusal.invalidRequest("code is missing.") }
        try await world.undergo(ledger.code(text)?.grant.visitor.person, slowness: slowness)
        let now = world.now()
        guard let code = ledger.code(text), now < code.expiresAt else {
            throw OAuthRefusal.invalidGrant("The code has expired or was never given out.")
        }
        let grant = code.grant
        guard grant.client == client else { throw OAuthRefusal.invalidGrant("The code is another client_id’s.") }
        guard form["redirect_uri"] == grant.redirectURI else {
            throw OAuthRefusal.invalidGrant(
                grant.redirectURI == nil
                    ? "The code is from an app: there was no redirect_uri."
                    : "redirect_uri is not the one that the code was sent to.")
        }
        guard ledger.use(text) else { throw OAuthRefusal.invalidGrant("The code was used before.") }
        var answer = try accessToken(for: grant, at: now)
        answer["refresh_token"] = .string(ledger.issue(.refresh, for: grant, until: nil))
        return OAuthAnswer.json(.object(answer))
    }

    private func refresh(_ form: FormFields, _ client: String) async throws -> Response {
        guard let text = form["refresh_token"] else { throw OAuthRefusal.invalidRequest("refresh_token is missing.") }
        try await world.undergo(
            ledger.token(text, at: world.now())?.grant.visitor.person, slowness: slowness)
        let now = world.now()
        guard let token = ledger.token(text, at: now), token.kind == .refresh else {
            throw OAuthRefusal.invalidGrant("The refresh token was revoked or never given out.")
        }
        guard token.grant.client == client else {
            throw OAuthRefusal.invalidGrant("The refresh token is another client_id’s.")
        }
        var grant = token.grant
        grant.nonce = nil
        return OAuthAnswer.json(.object(try accessToken(for: grant, at: now)))
    }

    private func accessToken(for grant: Grant, at now: Instant) throws -> AuthJSONObject {
        let token = ledger.issue(.access, for: grant, until: now + Self.accessTokenLifetime)
        return [
            "access_token": .string(token), "token_type": "Bearer",
            "expires_in": .integer(Self.accessTokenLifetime.microseconds / 1_000_000),
            "id_token": .string(try idToken(for: grant, ["at_hash": .string(keys.hash(of: token))])),
        ]
    }

    /// - Parameter flag: Encodes a boolean. Apple has sent both forms.
    func idToken(
        for grant: Grant, _ additions: AuthJSONObject, flag: (Bool) -> AuthJSON = AuthJSON.bool
    ) throws -> String {
        let (now, visitor) = (world.now(), grant.visitor)
        var claims: AuthJSONObject = [
            "iss": .string(registration.issuer), "aud": .string(grant.client), "sub": .string(visitor.subject),
            "iat": .integer(now.seconds), "exp": .integer((now + Self.idTokenLifetime).seconds),
            "auth_time": .integer(grant.authorizedAt.seconds), "nonce_supported": true,
        ]
        claims["nonce"] = world.nonce(of: grant).map(AuthJSON.string)
        if grant.scopes.contains("email"), let email = visitor.email {
            claims["email"] = .string(email)
            claims["email_verified"] = flag(visitor.isVerified)
            if visitor.isRelay { claims["is_private_email"] = flag(true) }
        }
        claims.merge(additions) { _, addition in addition }
        return try keys.sign(claims)
    }
}
