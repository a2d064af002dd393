import AccountDomain
import AccountStore
import GatehouseWire
package import HTTPServing
import HTTPTypes
package import Hummingbird
import JSONWebTokens

/// The caller of a request, identified by an access token.
struct UserCaller: Sendable {
    let account: Account
    let session: Session?
    let claims: TokenClaims
    var user: User { account.user }
    /// The lower of the levels of session and token. A token from before the second factor stays low, because a thief may
    /// have it. A token without a session has the lowest level.
    var level: AssuranceLevel { min(session?.assuranceLevel ?? .aal1, claims.level) }
    /// Whether the session had its second factor after the token.
    var hasOldToken: Bool { level < session?.assuranceLevel ?? .aal1 }
    /// Whether the user has a second factor, and the session has not had it.
    var isTooLow: Bool { user.hasSecondFactor && level < .aal2 }
    /// Counts each session by itself, so that a thief with a token uses up no limit of the owner's.
    var limitKey: String { session?.id.text ?? user.id.text }
    /// Whether the token was issued for an anonymous account, which may have become permanent since.
    var hasAnonymousToken: Bool { claims.members["is_anonymous"]?.boolValue == true }
}

extension Callers {
    /// Authenticates the caller of a request for a user. Stricter than Supabase Auth: the token must come from this
    /// issuer and be meant for the audience of users, and the session must not have ended by policy. Transactions that
    /// change something for the caller check the session again.
    ///
    /// - Parameter mayBeOver: Allows a session that has ended by policy, for routes that only end sessions.
    func userCaller(_ request: Request, mayBeOver: Bool = false) async throws -> UserCaller {
        let caller = try await userCaller(try verified(request).claims, request)
        if !mayBeOver { try checkPolicy(caller) }
        return caller
    }

    /// Refuses a sensitive change in a session without the user's second factor, or whose last proof is too old for the
    /// policy.
    func require(_ change: SensitiveChange, by caller: UserCaller) throws {
        if change.needsLevel {
            try requireHighLevel(caller, Self.levelMessage)
        }
        try requireProof(change, by: caller)
    }

    /// Refuses a sensitive change in a session whose last proof is too old for the policy.
    func requireProof(_ change: SensitiveChange, by caller: UserCaller) throws {
        guard !accounts.policy.needsProof(change, by: caller.user, in: caller.session, at: runtime.now()) else {
            throw Refusal.freshSignInRequired
        }
    }

    private static let levelMessage = "AAL2 session is required for this request when MFA is enabled."

    /// Refuses a session without the second factor that its user has. The session's row decides, not the token's claim.
    func requireHighLevel(
        _ caller: UserCaller, _ message: String, status: HTTPResponse.Status = .forbidden
    ) throws {
        if caller.isTooLow { throw Refusal(status, .insufficientAAL, message) }
    }

    private func checkPolicy(_ caller: UserCaller) throws {
        guard let session = caller.session, accounts.policy.hasEnded(session, at: runtime.now()) else { return }
        throw Refusal.sessionExpired.telling(accounts.policy.end(of: session)?.reason)
    }

    private func userCaller(_ claims: TokenClaims, _ request: Request) async throws -> UserCaller {
        guard let subject = claims.subject, !subject.isEmpty else { throw Refusal.badJWT("missing sub claim") }
        guard claims.issuer == settings.issuer else { throw Refusal.badJWT(.wrongIssuer) }
        guard let user = UserID(subject) else {
            throw Refusal(.badRequest, .badJWT, "invalid claim: sub claim must be a UUID")
        }
        let session = try Self.session(of: claims)
        guard let current = try await accounts.current(user, session: session) else {
            throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
                .telling(try await accounts.sessions.endReason(of: session, of: user))
        }
        if session != nil, current.session == nil {
            throw Refusal(.forbidden, .sessionNotFound, "Session from session_id claim in JWT does not exist")
                .telling(try await accounts.sessions.endReason(of: session, of: user))
        }
        if current.account.user.times.deletedAt != nil {
            throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        }
        if current.account.user.isBanned(at: runtime.now()) {
            throw Refusal(.forbidden, .userBanned, "User is banned").telling(.banned)
        }
        guard claims.audience.contains(current.account.user.audience) else { throw Refusal.badJWT(.wrongAudience) }
        if let audience = request.headers[.jwtAudience], !claims.audience.contains(audience) {
            throw Refusal(.badRequest, .validationFailed, "Token audience doesn't match request audience")
        }
        await usedTokens.note(claims)
        return UserCaller(account: current.account, session: current.session, claims: claims)
    }

    func device(_ request: Request, _ context: ServerContext) -> Device {
        var device = Device(
            userAgent: request.headers[.userAgent],
            address: runtime.clientAddress.text(peer: context.peerAddress, request.headers))
        device.requestID = context.requestID
        device.administrator = context.administrator
        if settings.mail?.notices.isEmpty == false {
            device.language = request.headers[.acceptLanguage].map { $0.cut(to: 256) }
        }
        return device
    }

    @Sendable func requireUser(_ request: Request, _ context: inout ServerContext) async throws {
        _ = try await userCaller(request)
    }

    /// Admits callers to the admin API that have a token with an admin role or a secret key. For a user's token the
    /// database decides on each request: the user's current role, whether the user is banned, and whether the session has
    /// had the second factor that the user has. If the policy requires fresh sign-ins, a user needs one to change anything.
    /// Notes the user in the context, for the audit log.
    ///
    /// - Throws: ``Refusal`` 401 or 403, and ``DatabaseFailure``.
    @Sendable package func requireAdmin(_ request: Request, _ context: inout ServerContext) async throws {
        try await requireAudience(request, &context)
        let bearer = request.headers.bearerToken
        if bearer?.hasPrefix("sb_") ?? true, let key = presentedAPIKey(request) {
            if settings.apiKeys.kind(of: key) == .secret { return }
            if bearer != nil { throw Refusal.notAdmin }
        }
        let claims = try verified(request).claims
        guard let role = claims.role, settings.adminRoles.contains(role) else { throw Refusal.notAdmin }
        // A token without a subject is a key: its role decides.
        guard claims.subject?.isEmpty == false else { return }
        let caller = try await userCaller(claims, request)
        try checkPolicy(caller)
        guard settings.adminRoles.contains(caller.user.role) else { throw Refusal.notAdmin }
        if request.method == .get || request.method == .head {
            try requireHighLevel(caller, Self.levelMessage)
        } else {
            try require(.administer, by: caller)
        }
        context.administrator = caller.user.email ?? caller.user.id.text
    }

    /// Refuses a request that names another audience than the server's.
    @Sendable func requireAudience(_ request: Request, _ context: inout ServerContext) async throws {
        if let audience = request.headers[.jwtAudience], audience != accounts.audience {
            throw Refusal.invalid("X-JWT-AUD must be the audience of this server")
        }
    }

    /// Requires the server's audience and, if keys are required, a known API key, like the gateway in front of Supabase
    /// Auth.
    @Sendable func admitClient(_ request: Request, _ context: inout ServerContext) async throws {
        try await requireAudience(request, &context)
        guard settings.apiKeys.areRequired else { return }
        if let key = presentedAPIKey(request) { return try check(key) }
        if let key = Query(request)["apikey"] { return try check(Secret(key)) }
        guard let bearer = request.headers.bearerToken else {
            throw Refusal(.unauthorized, .noAPIKey, "No API key found in request")
        }
        try check(Secret(bearer))
    }

    /// - Throws: ``Refusal`` `invalid_api_key` for an unknown key.
    private func check(_ key: Secret) throws {
        guard settings.apiKeys.kind(of: key) == nil else { return }
        do throws(TokenRejection) {
            // Older keys are JWTs with a role.
            if try keys.verify(key.reveal()).claims.role == nil { throw .missingClaim("role") }
        } catch {
            throw Refusal(.unauthorized, .invalidAPIKey, "Invalid API key", cause: error)
        }
    }

    /// Refuses a secret key in the query, even with a valid key in a header: URLs end up in logs and `Referer` headers.
    @Sendable func refuseSecretKey(inAddressOf request: Request) throws {
        guard request.uri.query != nil else { return }
        let query = Query(request)
        let isSecret =
            query.parameters.contains { $0.value.utf8.starts(with: "sb_secret_".utf8) }
            || query["apikey"].map(givesRights) ?? false
        guard isSecret else { return }
        throw Refusal(.unauthorized, .invalidAPIKey, "A secret key is accepted in a header only")
    }

    /// Whether the key is one of the older secret keys, which are JWTs with a role.
    private func givesRights(_ key: String) -> Bool {
        // Ignored: any other text is not a token of this server.
        guard let role = try? keys.verify(key).claims.role else { return false }
        return settings.adminRoles.contains(role)
    }

    /// The bearer if it is a key, as some clients send it, otherwise the `apikey` header.
    private func presentedAPIKey(_ request: Request) -> Secret? {
        if let bearer = request.headers.bearerToken, bearer.hasPrefix("sb_") { return Secret(bearer) }
        return request.headers[.apiKey].map(Secret.init)
    }

    private func verified(_ request: Request) throws -> VerifiedToken {
        guard let token = request.headers.bearerToken else {
            throw Refusal(.unauthorized, .noAuthorization, "This endpoint requires a valid Bearer token")
        }
        do throws(TokenRejection) {
            return try keys.verify(token)
        } catch {
            throw Refusal.badJWT(error)
        }
    }

    /// nil if the token names no session, or the nil UUID as old tokens do.
    private static func session(of claims: TokenClaims) throws -> SessionID? {
        guard let text = claims.sessionID, !text.isEmpty else { return nil }
        guard let id = SessionID(text) else { throw Refusal.badJWT("session_id claim must be a UUID") }
        return id.isNil ? nil : id
    }
}

extension Callers {
    /// A route for administrators. A GET has no time limit, unless `waits` says so.
    func administered(
        _ method: HTTPRequest.Method, _ path: String, slash: Bool = false, waits: Bool? = nil,
        _ handler: @escaping Route.Handler
    ) -> Route {
        Route(
            method, path, acceptsTrailingSlash: slash, guardedBy: requireAdmin,
            timeLimit: waits ?? (method != .get) ? runtime.requestTimeLimit : nil, handler)
    }

    /// A route for users that accepts a trailing slash, and whose handler checks the caller itself.
    func owned(
        _ method: HTTPRequest.Method, _ path: String, limitedBy bucket: String? = nil, waits: Bool = true,
        _ handler: @escaping Route.Handler
    ) -> Route {
        Route(
            method, path, acceptsTrailingSlash: true, wrongMethodGuardedBy: requireUser, limitedBy: bucket,
            timeLimit: waits ? runtime.requestTimeLimit : nil, handler)
    }
}

extension Refusal {
    fileprivate static func badJWT(_ problem: String, cause: (any Error)? = nil) -> Refusal {
        Refusal(.forbidden, .badJWT, "invalid JWT: \(problem)", cause: cause)
    }

    fileprivate static func badJWT(_ rejection: TokenRejection) -> Refusal {
        badJWT(rejection.publicText, cause: rejection)
    }

    /// Adds the reason why the session ended. It is only for the holder of a token that was once valid.
    func telling(_ reason: SessionEnd.Reason?) -> Refusal {
        guard let reason, reason != .unknown else { return self }
        var refusal = self
        refusal.headers[.sessionEnd] = reason.rawValue
        return refusal
    }

    static let sessionExpired = Refusal(.forbidden, .sessionExpired, "Session has expired")
    fileprivate static let notAdmin = Refusal(.forbidden, .notAdmin, "User not allowed")
}

extension TokenRejection {
    /// Names the kind of failure without quoting the token.
    fileprivate var publicText: String {
        switch self {
        case .expired: "token has invalid claims: token is expired"
        case .missingClaim("exp"): "token has invalid claims: exp claim is required"
        case .notYetValid: "token has invalid claims: token is not valid yet"
        case .wrongIssuer: "token has invalid claims: token has invalid issuer"
        case .wrongAudience: "token has invalid claims: token has invalid audience"
        default: "unable to parse or verify signature"
        }
    }
}

extension HTTPField.Name {
    static let apiKey = Self("apikey")!
    static let sessionEnd = Self("x-gatehouse-session-end")!
    fileprivate static let jwtAudience = Self("x-jwt-aud")!
}
