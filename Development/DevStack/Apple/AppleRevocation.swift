import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInApple {
    /// `/auth/revoke`. Revokes the user's consent, so that the next sign-in is a first one again.
    ///
    /// Returns 200 for an unknown token, like Apple. Unlike Apple, reports another client's token: someone confused
    /// Services ID and bundle id, and the user would stay signed up.
    func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await request.form(context)
        let client = try authenticate(form)
        guard let text = form["token"] else { throw OAuthRefusal.invalidRequest("token is missing.") }
        if let hint = form["token_type_hint"], Ledger.Token.Kind(text: hint) == nil {
            throw OAuthRefusal.invalidRequest("token_type_hint has to be refresh_token or access_token.")
        }
        let now = world.now()
        let token = ledger.token(text, at: now)
        if let token {
            guard token.grant.client == client else {
                throw OAuthRefusal(.badRequest, "unauthorized_client", "The token is another client_id’s.")
            }
            ledger.endConsent(client, subject: token.grant.visitor.subject)
        }
        ledger.record(
            Revocation(client: client, at: now, subject: token?.grant.visitor.subject, kind: token?.kind.rawValue))
        return Answer.empty(.ok)
    }
}
