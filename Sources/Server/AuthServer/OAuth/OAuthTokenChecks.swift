import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Hummingbird
import JSONWebTokens

extension OAuthTokenHandlers {
    /// RFC 7009. Ends the client's session; an unknown token is no error.
    @Sendable func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let fields = try await OAuthFields(body: request, context)
        let client = try await clients.authenticated(fields, request, context)
        guard let token = fields["token"] else { throw OAuthProblem.invalidRequest("token is required").refusal }
        if let session = try await session(of: token), session.client?.id == client.id {
            try await accounts.oauth.signOut(
                session, by: client, from: try callers.device(request, context), at: runtime.now())
        }
        return Answer.json(Array("{}".utf8)).unstored
    }

    /// RFC 7662, for the client's own tokens, or for any with a secret API key.
    @Sendable func introspect(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let fields = try await OAuthFields(body: request, context)
        let isOperator =
            (request.headers[.apiKey] ?? request.headers.bearerToken).map {
                settings.apiKeys.kind(of: Secret($0)) == .secret
            } ?? false
        let client = isOperator ? nil : try await clients.authenticated(fields, request, context)
        if let client, !client.isConfidential { throw OAuthClientHandlers.invalidClient(false) }
        guard let token = fields["token"] else { throw OAuthProblem.invalidRequest("token is required").refusal }
        if let found = try await active(token, forAudience: nil),
            client == nil || found.session.client?.id == client?.id
        {
            return described(found)
        }
        if let (session, isCurrent) = try await accounts.oauth.session(of: Secret(token), at: runtime.now()), isCurrent,
            client == nil || session.client?.id == client?.id,
            let user = try await accounts.current(session.user, session: session.id)?.account.user,
            !user.isBanned(at: runtime.now()), user.times.deletedAt == nil
        {
            return described(session)
        }
        return Answer.json(Array(#"{"active":false}"#.utf8)).unstored
    }

    private func session(of token: String) async throws -> Session? {
        let now = runtime.now()
        if let found = try await accounts.oauth.session(of: Secret(token), at: now) { return found.session }
        return try await active(token, forAudience: nil)?.session
    }

    private func described(_ found: ActiveToken) -> Response {
        var members = found.claims.members
        members["active"] = true
        members["token_type"] = "Bearer"
        return Answer.json(Array(AuthJSON.object(members).text.utf8)).unstored
    }

    private func described(_ session: Session) -> Response {
        Answer.json { writer in
            writer.beginObject()
            writer.member("active", true)
            writer.member("token_type", "refresh_token")
            writer.member("iss", settings.issuer)
            writer.member("sub", session.user.text)
            writer.member("client_id", session.client?.publicID ?? "")
            writer.member("scope", session.client?.scopes.text ?? "")
            writer.member("session_id", session.id.text)
            writer.endObject()
        }.unstored
    }
}
