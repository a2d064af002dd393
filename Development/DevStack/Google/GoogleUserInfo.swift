import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInGoogle {
    /// `/userinfo` (OpenID Connect Core 1.0 §5.3).
    func userInfo(_ request: Request, _ context: ServerContext) throws -> Response {
        guard let text = request.headers.bearerToken else {
            throw OAuthRefusal(
                .unauthorized, "invalid_request", "The access token has to be in Authorization: Bearer.",
                challenge: #"Bearer realm="stand-in for Google""#)
        }
        guard let token = ledger.token(text, at: world.now()), token.kind == .access else {
            throw OAuthRefusal(
                .unauthorized, "invalid_token", "The access token has ended or was never given out.",
                challenge: #"Bearer realm="stand-in for Google", error="invalid_token""#)
        }
        return OAuthAnswer.json(.object(Self.profile(of: token.grant)))
    }

    /// `/revoke`: revokes the whole consent, without authenticating the client.
    func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        let query = FormFields(request.uri.query ?? "")?["token"]
        let text: String
        if let query {
            text = query
        } else {
            guard let token = try await request.form(context)["token"] else {
                throw OAuthRefusal.invalidRequest("token is missing.")
            }
            text = token
        }
        let now = world.now()
        guard let token = ledger.token(text, at: now) else {
            throw OAuthRefusal(.badRequest, "invalid_token", "The token has ended or was never given out.")
        }
        let (client, subject) = (token.grant.client, token.grant.visitor.subject)
        ledger.endConsent(client, subject: subject)
        ledger.record(Revocation(client: client, at: now, subject: subject, kind: token.kind.rawValue))
        return OAuthAnswer.json([:])
    }

    /// `/native-credential` with `{"person","nonce","client_id","server_client_id","email"}`, of which only `person` is
    /// required: the result of Google's library, without a device. With a server's client id, the ID token's audience
    /// is the server, and `azp` the app (as on Android).
    func nativeCredential(_ request: Request, _ context: ServerContext) async throws -> Response {
        let members = try await request.jsonMembers(context)
        let visitor = try Self.provider.visitor(named: members)
        let app = try members.string("client_id") ?? registration.apps.first ?? ""
        guard registration.apps.contains(app) else {
            throw OAuthRefusal(.badRequest, "invalid_client", "client_id has to be an app’s.")
        }
        let server = try members.string("server_client_id")
        guard server == nil || server == registration.webClient else {
            throw OAuthRefusal(.badRequest, "invalid_client", "server_client_id has to be the web client’s.")
        }
        guard visitor.person.conduct != .cancels else {
            throw OAuthRefusal(.badRequest, "access_denied", "The person closed the sheet.")
        }
        try await world.undergo(visitor.person, slowness: slowness)
        let now = world.now()
        let grant = Grant(
            client: server ?? app, visitor: visitor, scopes: ["openid", "email", "profile"], authorizedAt: now,
            nonce: try members.string("nonce"))
        let token = ledger.issue(.access, for: grant, until: now + Self.accessTokenLifetime)
        return OAuthAnswer.json([
            "idToken": .string(try idToken(for: grant, party: app, accessToken: token)),
            "accessToken": .string(token), "userID": .string(visitor.subject),
            "profile": .object(Self.profile(of: grant)),
        ])
    }
}
