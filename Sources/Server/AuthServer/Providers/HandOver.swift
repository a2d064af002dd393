import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// An extension to the Auth API: an app's users sign in on the account pages and come back to the app.
extension IdentityHandlers {
    /// `GET /authorize` without a provider, as sent to the account pages.
    ///
    /// - Parameter pages: The address of their sign-in.
    /// - Throws: ``Refusal`` `validation_failed` (400) without PKCE.
    func leadToPages(_ pages: String, _ query: Query, _ request: Request) throws -> Response {
        guard let key = try proofKey(query) else {
            throw Refusal.invalid("PKCE is required: code_challenge and code_challenge_method=s256 are missing")
        }
        let target = settings.redirects.target(
            request.headers[.redirectTo], query["redirect_to"], request.headers[.referer])
        let fields = [
            ("code_challenge", key.challenge), ("code_challenge_method", key.method.rawValue), ("redirect_to", target),
        ]
        let text = fields.map { "\($0.0)=\(FormText.escape($0.1))" }.joined(separator: "&")
        return Answer.redirect(to: "\(pages)?\(text)").unstored
    }

    /// `POST /authorize` with `{"refresh_token","code_challenge","code_challenge_method","redirect_to"}` and the access
    /// token of the same session → `{"url"}`: the app's address with a code, for a session of the app's own.
    ///
    /// The refresh token is not spent. It proves that the caller holds the session: an access token, which an app's own
    /// servers see too, must not become a session. The new session counts as old as this one, and has its level: neither
    /// token may be from before the second factor.
    @Sendable func handOver(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        try callers.require(.handOver, by: caller)
        if caller.hasOldToken { throw Refusal.handOverLevel }
        let body = try await request.jsonMembers(context)
        guard let session = caller.session, let text = try body.secret("refresh_token"),
            let token = RefreshToken(text), token.session == session.id, token.genuineKey(accounts.secrets) != nil,
            // The current token or the previous one: the response with the current one may be lost.
            token.counter >= max(session.counter - 1, session.assuranceLevel > .aal1 ? session.levelCounter : 0)
        else { throw Refusal.invalid("refresh_token must be one of the caller's session") }
        guard let key = try proofKey(body) else {
            throw Refusal.invalid("PKCE is required: code_challenge and code_challenge_method=s256 are missing")
        }
        // A code by mail proves the address for ten minutes, and this session may be older.
        let method: AuthenticationMethod =
            session.authenticationMethods.contains("\"method\":\"password\"") ? .password : .oauth
        let code = try await accounts.flows.handOver(
            caller.user.id, by: method, to: key, session: session, at: runtime.now())
        guard let code else { throw Refusal.sessionExpired }
        let target = settings.redirects.target(try body.string("redirect_to"))
        return Answer.json { writer in
            writer.beginObject()
            writer.member("url", CallbackRedirect(target: target).location(of: code))
            writer.endObject()
        }.unstored
    }
}

extension Refusal {
    fileprivate static let handOverLevel = Refusal(
        .forbidden, .insufficientAAL, "The access token is from before the second factor of its session.")
}
