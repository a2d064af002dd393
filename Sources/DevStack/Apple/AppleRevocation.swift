import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension StandInApple {
    /// `/auth/revoke`. The person's consent goes with the token, so that the next sign-in is a first one again.
    ///
    /// A token that nobody knows is answered with 200, as Apple does. That it is another client's is told, although
    /// Apple is silent about it: somebody mixed up a Services ID and a bundle id, and the person stays signed up.
    func revoke(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await request.form(context)
        let client = try authenticate(form)
        guard let text = form["token"] else { throw OAuthRefusal.invalidRequest("token is missing.") }
        if let hint = form["token_type_hint"], Ledger.Token.Kind(text: hint) == nil {
            throw OAuthRefusal.invalidRequest("token_type_hint has to be refresh_token or access_token.")
        }
        let now = surroundings.now()
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
