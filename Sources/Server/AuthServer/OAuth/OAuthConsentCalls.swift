import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

// The user's view of a request, and the decision.
extension OAuthConsentHandlers {
    /// Redirects immediately if the user consented before, and only this client can receive the code.
    @Sendable func show(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let caller = try await callers.userCaller(request)
        guard
            let found = try await accounts.oauth.look(
                at: .id(try authorizationID(context)), by: caller.user.id, at: runtime.now())
        else { throw Refusal.unknownAuthorization }
        return try await answer(found, caller, request, context)
    }

    /// `GET /oauth/device?user_code=…`.
    @Sendable func showDevice(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let caller = try await callers.userCaller(request)
        guard let code = Query(request)["user_code"].flatMap(UserCode.read),
            let found = try await accounts.oauth.look(at: .userCode(code), by: caller.user.id, at: runtime.now())
        else { throw Refusal.unknownAuthorization }
        return try await answer(found, caller, request, context)
    }

    /// Requests that the caller has looked at, such as on a web page, and not decided.
    @Sendable func listPending(_ request: Request, _ context: ServerContext) async throws -> Response {
        let rules = try rules
        let caller = try await callers.userCaller(request)
        let pending = try await accounts.oauth.pending(of: caller.user.id, at: runtime.now())
        let languages = Self.languages(request)
        return Answer.json { writer in
            writer.beginObject()
            writer.list("authorizations", pending) { $0.authorization($1, of: caller.user, rules, languages) }
            writer.endObject()
        }
    }

    private func answer(
        _ found: FoundAuthorization, _ caller: UserCaller, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let authorization = found.authorization
        switch authorization.status {
        case .denied, .redeemed, .pushed: throw Refusal.overAuthorization
        case .approved where !mayReceive(found): throw Refusal.overAuthorization
        case .approved:
            try callers.requireLevel(of: .approveClient, by: caller)
            return decided(.approved(authorization, code: accounts.secrets.authorizationCode(of: authorization.id)))
        case .pending: break
        }
        // Its code would be the second factor's.
        if !authorization.request.forbidsPages { try callers.requireLevel(of: .approveClient, by: caller) }
        if mayAnswer(found, caller) {
            let account = caller.account
            let outcome = try await accounts.oauth.approve(
                authorization.id, by: account, in: caller.session,
                telling: try grants.notice(to: caller.user, request, context), at: runtime.now())
            if case .approved = outcome { return decided(outcome) }
        }
        if authorization.request.forbidsPages { return try await refuse(authorization, to: caller) }
        let rules = try rules
        let needsSignIn = !isFresh(authorization, caller)
        return Answer.json { writer in
            writer.authorization(found, of: caller.user, rules, Self.languages(request), needsSignIn: needsSignIn)
        }
    }

    /// OpenID Connect Core §3.1.2.6: a request that must not show a page, and needs one.
    private func refuse(_ authorization: OAuthAuthorization, to caller: UserCaller) async throws -> Response {
        guard try await accounts.oauth.refuse(authorization.id, of: caller.user.id) else {
            throw Refusal.overAuthorization
        }
        let problem =
            caller.isTooLow
            ? OAuthProblem("interaction_required", "The user must confirm the second factor")
            : isFresh(authorization, caller)
                ? authorization.request.expected.matches(caller.user)
                    ? OAuthProblem("consent_required", "The user must consent")
                    : OAuthProblem("login_required", "Another user is signed in")
                : OAuthProblem("login_required", "The user must sign in again")
        return Self.redirectAnswer(redirect(authorization).address(of: problem))
    }

    /// Whether an earlier consent answers (RFC 8252 §8.6).
    private func mayAnswer(_ found: FoundAuthorization, _ caller: UserCaller) -> Bool {
        let request = found.authorization.request
        guard found.authorization.flow == .redirect, mayReceive(found), found.consent?.covers(request) == true,
            !request.asksConsent, !request.prompts.contains("select_account"),
            found.client.isKnown(by: request.redirectURI), isFresh(found.authorization, caller),
            request.expected.matches(caller.user)
        else { return false }
        // Ignored: the page asks for what is missing.
        return (try? callers.require(.approveClient, by: caller)) != nil
    }

    /// An address may have been removed since the request.
    private func mayReceive(_ found: FoundAuthorization) -> Bool {
        found.authorization.flow == .device || found.client.mayReceive(at: found.authorization.request.redirectURI)
    }

    private func isFresh(_ authorization: OAuthAuthorization, _ caller: UserCaller) -> Bool {
        authorization.request.isSatisfied(
            bySignInAt: caller.session?.entries.times.max(), begun: authorization.createdAt, at: runtime.now())
    }

    @Sendable func decide(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let caller = try await callers.userCaller(request)
        let id = try authorizationID(context)
        let body = try await request.jsonMembers(context)
        switch try body.string("action") {
        case "approve":
            try callers.require(.approveClient, by: caller)
            let found = try await accounts.oauth.authorization(id, of: caller.user.id, at: runtime.now())
            guard let found, found.authorization.request.expected.mayBe(caller.user.id) else {
                throw Refusal.unknownAuthorization
            }
            guard mayReceive(found), !found.authorization.request.forbidsPages else { throw Refusal.overAuthorization }
            if found.authorization.status == .pending, !isFresh(found.authorization, caller) {
                throw Refusal.freshSignInRequired
            }
            return try settled(
                try await accounts.oauth.approve(
                    id, by: caller.account, in: caller.session,
                    telling: try grants.notice(to: caller.user, request, context), at: runtime.now()))
        case "deny":
            let isReport = try body.bool("report") ?? false
            return try settled(
                try await accounts.oauth.deny(
                    id, by: caller.account, in: caller.session, isReport: isReport, at: runtime.now()))
        default: throw Refusal.invalid("action must be 'approve' or 'deny'")
        }
    }

    /// Without a user: a page that must not be shown, or that a visitor left. With `?prompt=none` only the first.
    @Sendable func cancel(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let onlyWithoutPages = Query(request)["prompt"] == "none"
        guard
            let cancelled = try await accounts.oauth.cancel(
                try authorizationID(context), onlyWithoutPages: onlyWithoutPages, at: runtime.now())
        else { throw Refusal.unknownAuthorization }
        let problem =
            cancelled.request.forbidsPages
            ? OAuthProblem("login_required", "The user is not signed in")
            : OAuthProblem("access_denied", "User denied the request")
        return Self.redirectAnswer(redirect(cancelled).address(of: problem))
    }

    /// For a sign-in with another account, which then looks first.
    @Sendable func release(_ request: Request, _ context: ServerContext) async throws -> Response {
        _ = try rules
        let caller = try await callers.userCaller(request)
        guard
            try await accounts.oauth.release(
                try authorizationID(context), by: caller.user.id, at: runtime.now())
        else { throw Refusal.unknownAuthorization }
        return Answer.empty(.noContent)
    }

    private func settled(_ outcome: OAuthDecision) throws -> Response {
        switch outcome {
        case .approved, .denied: return decided(outcome)
        case .gone: throw Refusal.unknownAuthorization
        case .over: throw Refusal.overAuthorization
        case .sessionEnded: throw Refusal.sessionExpired
        }
    }

    private func decided(_ outcome: OAuthDecision) -> Response {
        switch outcome {
        case .approved(let authorization, let code):
            guard authorization.flow == .redirect, let code else { return Self.deviceAnswer("approved") }
            return Self.redirectAnswer(redirect(authorization).address(of: code))
        case .denied(let authorization):
            guard authorization.flow == .redirect else { return Self.deviceAnswer("denied") }
            // The user saw no page.
            let problem =
                authorization.request.forbidsPages
                ? OAuthProblem("consent_required", "The user has to be asked")
                : OAuthProblem("access_denied", "User denied the request")
            return Self.redirectAnswer(redirect(authorization).address(of: problem))
        case .gone, .over, .sessionEnded: return Answer.empty(.noContent)
        }
    }

    private func redirect(_ authorization: OAuthAuthorization) -> OAuthRedirect {
        OAuthRedirect(
            authorization.request.redirectURI, state: authorization.request.state, issuer: settings.issuer)
    }

    private static func redirectAnswer(_ url: String) -> Response {
        Answer.json { writer in
            writer.beginObject()
            writer.member("redirect_url", url)
            writer.endObject()
        }.unstored
    }

    private static func deviceAnswer(_ status: String) -> Response {
        Answer.json { writer in
            writer.beginObject()
            writer.member("flow", OAuthAuthorization.Flow.device.rawValue)
            writer.member("status", status)
            writer.endObject()
        }.unstored
    }

    private func authorizationID(_ context: ServerContext) throws -> Identifier<OAuthAuthorization> {
        guard let id = context.parameters.get("authorization_id").flatMap({ Identifier<OAuthAuthorization>($0) }) else {
            throw Refusal.unknownAuthorization
        }
        return id
    }
}

extension JSONWriter {
    /// Supabase Auth's `authorization_id`, `redirect_uri`, `client`, `user` and `scope`; the others are ours.
    fileprivate mutating func authorization(
        _ found: FoundAuthorization, of user: User, _ rules: OAuthRules, _ languages: [String],
        needsSignIn: Bool = false
    ) {
        let (authorization, request) = (found.authorization, found.authorization.request)
        beginObject()
        member("authorization_id", authorization.id.text)
        member("redirect_uri", request.redirectURI)
        name("client")
        oauthClient(found.client)
        name("user")
        beginObject()
        member("id", user.id.text)
        member("email", user.email ?? "")
        endObject()
        member("scope", request.scopes.text)
        list("scopes", request.scopes.names) { $0.scope($1, rules, languages) }
        list("resources", request.resources) { $0.value($1) }
        member("flow", authorization.flow.rawValue)
        member("requested_at", authorization.createdAt)
        member("expires_at", authorization.expiresAt)
        if request.forbidsPages { member("prompt", "none") }
        if needsSignIn { member("needs_sign_in", true) }
        expected(request.expected, of: user)
        name("requester")
        beginObject()
        member("ip", ifPresent: authorization.device.address)
        member("user_agent", ifPresent: authorization.device.userAgent)
        endObject()
        endObject()
    }

    mutating func scope(_ name: String, _ rules: OAuthRules, _ languages: [String]) {
        beginObject()
        member("name", name)
        member("description", ifPresent: rules.ownScopes.first { $0.name == name }?.text(for: languages))
        endObject()
    }

    /// As users see it.
    mutating func oauthClient(_ client: OAuthClient) {
        beginObject()
        member("id", client.publicID)
        member("name", client.metadata.name)
        // Not empty texts: supabase-swift reads URLs.
        member("uri", ifPresent: client.metadata.uri)
        // An unverified picture could imitate another app's.
        member("logo_uri", ifPresent: client.isVerified ? client.metadata.logo : nil)
        member("verified", client.isVerified)
        member("registration_type", client.registration.rawValue)
        member("host", ifPresent: client.host)
        member("created_at", client.createdAt)
        endObject()
    }
}

extension Refusal {
    fileprivate static let unknownAuthorization = Refusal(
        .notFound, .oauthAuthorizationNotFound, "authorization not found")
    fileprivate static let overAuthorization = Refusal.invalid("authorization request cannot be processed")
}
