import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// An extension: an app's users sign in on the account pages and return to the app.
extension IdentityHandlers {
    /// - Parameter pages: The URL of their sign-in.
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

    /// `POST /authorize` with access token and refresh token → the app's URL with a code for a separate session.
    ///
    /// The refresh token, which stays unspent, proves that the caller holds the session: an app's servers also see the
    /// access token, which must not become a session. The new session is as old as this one and keeps its level, so
    /// neither token may be older than the second factor.
    @Sendable func handOver(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await callers.userCaller(request)
        try callers.require(.handOver, by: caller)
        if caller.hasOldToken { throw Refusal.handOverLevel }
        let body = try await request.jsonMembers(context)
        let session = try callers.requireRefreshToken(body, of: caller)
        guard let key = try proofKey(body) else {
            throw Refusal.invalid("PKCE is required: code_challenge and code_challenge_method=s256 are missing")
        }
        // An emailed code proves the address for ten minutes, and this session may be older.
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

extension Callers {
    /// Refuses a caller who has only the session's access token, such as an app's server.
    func requireRefreshToken(_ body: JSONMembers, of caller: UserCaller) throws -> Session {
        guard let session = caller.session, let text = try body.secret("refresh_token"),
            let token = RefreshToken(text), token.session == session.id, token.genuineKey(accounts.secrets) != nil,
            // Or the previous one: the response with the current token may be lost.
            token.counter >= max(session.counter - 1, session.assuranceLevel > .aal1 ? session.levelCounter : 0)
        else { throw Refusal.invalid("refresh_token must be one of the caller's session") }
        return session
    }
}

extension Refusal {
    fileprivate static let handOverLevel = Refusal(
        .forbidden, .insufficientAAL, "The access token is from before the second factor of its session.")
}
