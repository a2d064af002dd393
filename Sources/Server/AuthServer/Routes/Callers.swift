import AccountDomain
import AccountStore
import GatehouseWire
package import HTTPServing
import HTTPTypes
package import Hummingbird
import JSONWebTokens

struct UserCaller: Sendable {
    let account: Account
    let session: Session?
    let claims: TokenClaims
    var user: User { account.user }
    /// The lower one: a thief may have a token from before the second factor.
    var level: AssuranceLevel { min(session?.assuranceLevel ?? .aal1, claims.level) }
    /// The session had its second factor after the token.
    var hasOldToken: Bool { level < session?.assuranceLevel ?? .aal1 }
    var isTooLow: Bool { user.hasSecondFactor && level < .aal2 }
    /// By session, so that a stolen token does not use up the owner's limits.
    var limitKey: String { session?.id.text ?? user.id.text }
    /// The account may have become permanent since.
    var hasAnonymousToken: Bool { claims.members["is_anonymous"]?.boolValue == true }
}

extension Callers {
    /// Stricter than Supabase Auth: needs this issuer, the users' audience, and a session that has not ended by policy.
    /// Transactions that change something for the caller check the session again.
    ///
    /// - Parameters:
    ///   - mayBeOver: For routes that only end sessions.
    ///   - admitsChild: Whether a child session may call the route.
    func userCaller(
        _ request: Request, mayBeOver: Bool = false, admitsChild: Bool = false
    ) async throws -> UserCaller {
        let caller = try await userCaller(try verified(request).claims, request)
        guard admitsChild || caller.session?.child == nil else { throw Refusal.childSession }
        guard !mayBeOver else { return caller }
        try await checkPolicy(caller)
        if request.method != .get, request.method != .head { try requireKey(of: caller, request) }
        return caller
    }

    /// Refuses a session without the user's second factor, or whose proof is too old for the policy.
    func require(_ change: SensitiveChange, by caller: UserCaller) throws {
        try requireLevel(of: change, by: caller)
        try requireProof(change, by: caller)
    }

    /// Refuses a session without the user's second factor.
    func requireLevel(of change: SensitiveChange, by caller: UserCaller) throws {
        if change.needsLevel { try requireHighLevel(caller, Self.levelMessage) }
    }

    /// Refuses a session whose proof is too old for the policy.
    func requireProof(_ change: SensitiveChange, by caller: UserCaller) throws {
        guard !accounts.policy.needsProof(change, by: caller.user, in: caller.session, at: runtime.now()) else {
            throw Refusal.freshSignInRequired
        }
    }

    private static let levelMessage = "AAL2 session is required for this request when MFA is enabled."

    /// Refuses a session without the user's second factor. The session's row decides, not the token's claim.
    func requireHighLevel(
        _ caller: UserCaller, _ message: String, status: HTTPResponse.Status = .forbidden
    ) throws {
        if caller.isTooLow { throw Refusal(status, .insufficientAAL, message) }
    }

    private func checkPolicy(_ caller: UserCaller) async throws {
        guard let session = caller.session else { return }
        if accounts.policy.hasEnded(session, at: runtime.now()) {
            throw Refusal.sessionExpired.telling(accounts.policy.end(of: session)?.reason)
        }
        if try await accounts.sessions.hasLostParent(session, of: caller.user, at: runtime.now()) {
            throw Refusal.sessionExpired.telling(.parentEnded)
        }
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
        // The audience of its tokens refuses it too, unless an account's is a resource.
        guard current.session?.client == nil else { throw Refusal.badJWT(.wrongAudience) }
        await usedTokens.note(claims)
        return UserCaller(account: current.account, session: current.session, claims: claims)
    }

    /// - Throws: ``Refusal`` for an unusable proof of a key: see ``KeyProofs``.
    func device(_ request: Request, _ context: ServerContext) throws -> Device {
        var device = Device(
            userAgent: request.headers[.userAgent],
            address: runtime.clientAddress.text(peer: context.peerAddress, request.headers))
        device.requestID = context.requestID
        device.keyProof = try keyProof(request)
        device.administrator = context.administrator
        if settings.mail?.notices.isEmpty == false {
            device.language = request.headers[.acceptLanguage].map { $0.cut(to: 256) }
        }
        return device
    }

    @Sendable func requireUser(_ request: Request, _ context: inout ServerContext) async throws {
        _ = try await userCaller(request)
    }

    /// Admits tokens with an operator's role, and secret keys. For a user's token each request checks the current role,
    /// bans, the second factor, and for changes a fresh sign-in if the policy asks for one. Notes the user for the
    /// audit log.
    ///
    /// - Throws: ``Refusal`` 401 or 403, and ``DatabaseFailure``.
    func requireAdmin(_ request: Request, _ context: inout ServerContext) async throws {
        try await requireAudience(request, &context)
        let bearer = request.headers.bearerToken
        if bearer?.hasPrefix("sb_") ?? true, let key = presentedAPIKey(request) {
            if settings.apiKeys.kind(of: key) == .secret { return }
            if bearer != nil { throw Refusal.notAdmin }
        }
        let claims = try verified(request).claims
        guard let role = claims.role, let rights = settings.rights(of: role) else { throw Refusal.notAdmin }
        context.operatorRights = rights
        // A token without a subject is a key: its role decides.
        guard claims.subject?.isEmpty == false else { return }
        let caller = try await userCaller(claims, request)
        guard caller.session?.child == nil else { throw Refusal.childSession }
        try await checkPolicy(caller)
        guard let rights = settings.rights(of: caller.user.role) else { throw Refusal.notAdmin }
        context.operatorRights = rights
        if request.method == .get || request.method == .head {
            try requireHighLevel(caller, Self.levelMessage)
        } else {
            try require(.administer, by: caller)
            try requireKey(of: caller, request)
        }
        context.administrator = caller.user.email ?? caller.user.id.text
    }

    @Sendable func requireAudience(_ request: Request, _ context: inout ServerContext) async throws {
        if let audience = request.headers[.jwtAudience], audience != accounts.audience {
            throw Refusal.invalid("X-JWT-AUD must be the audience of this server")
        }
    }

    /// Checks audience and, if required, API key, like the gateway in front of Supabase Auth.
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

    /// - Throws: ``Refusal`` `invalid_api_key`.
    private func check(_ key: Secret) throws {
        guard settings.apiKeys.kind(of: key) == nil else { return }
        do throws(TokenRejection) {
            // Older keys are JWTs with a role.
            let claims = try keys.verify(key.reveal()).claims
            // An OAuth client's token is for its resource only.
            if claims.role == nil || claims.members["client_id"] != nil { throw .missingClaim("role") }
        } catch {
            throw Refusal(.unauthorized, .invalidAPIKey, "Invalid API key", cause: error)
        }
    }

    /// Even with a valid key in a header: URLs end up in logs and `Referer`.
    @Sendable func refuseSecretKey(inAddressOf request: Request) throws {
        guard request.uri.query != nil else { return }
        let query = Query(request)
        let isSecret =
            query.parameters.contains { $0.value.utf8.starts(with: "sb_secret_".utf8) }
            || query["apikey"].map(givesRights) ?? false
        guard isSecret else { return }
        throw Refusal(.unauthorized, .invalidAPIKey, "A secret key is accepted in a header only")
    }

    private func givesRights(_ key: String) -> Bool {
        // Ignored: any other text is not a token of this server.
        guard let role = try? keys.verify(key).claims.role else { return false }
        return settings.rights(of: role) != nil
    }

    /// The bearer if it is a key, as some clients send it, else the `apikey` header.
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

    /// nil without a session, or with the nil UUID that old tokens name.
    private static func session(of claims: TokenClaims) throws -> SessionID? {
        guard let text = claims.sessionID, !text.isEmpty else { return nil }
        guard let id = SessionID(text) else { throw Refusal.badJWT("session_id claim must be a UUID") }
        return id.isNil ? nil : id
    }
}

extension Callers {
    /// A route for users that accepts a trailing slash. The handler checks the caller.
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

    /// Adds why the session ended, which only a holder of its token may learn.
    func telling(_ reason: SessionEnd.Reason?) -> Refusal {
        guard let reason, reason != .unknown else { return self }
        var refusal = self
        refusal.headers[.sessionEnd] = reason.rawValue
        return refusal
    }

    static let childSession = Refusal(
        .forbidden, .childSession, "A child session cannot change the account: use the app that opened it")
    static let sessionExpired = Refusal(.forbidden, .sessionExpired, "Session has expired")
    fileprivate static let notAdmin = Refusal(.forbidden, .notAdmin, "User not allowed")
}

extension TokenRejection {
    /// The kind of failure, without the token.
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
