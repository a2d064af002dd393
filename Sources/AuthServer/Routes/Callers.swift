import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens

/// A signed-in person who asks.
struct UserCaller: Sendable {
    let account: Account
    let session: Session?
    var user: User { account.user }
}

extension AuthServer {
    /// Refuses what no signed-in person asks (wire contract 1.2), in the contract's order. Tighter than that: the token
    /// has to be ours and for the user's audience, and the session must not be over by the policy. Whatever is changed
    /// for the caller is so after a second look, in the transaction of the change.
    ///
    /// - Parameter mayBeOver: For who only ends sessions.
    func userCaller(_ request: Request, mayBeOver: Bool = false) async throws -> UserCaller {
        let caller = try await userCaller(try verified(request).claims, request)
        if !mayBeOver { try checkPolicy(caller) }
        return caller
    }

    /// Refuses a caller whose sign-in is too old for the policy.
    func requireFreshSignIn(_ caller: UserCaller) throws {
        guard accounts.policy.isFresh(caller.session, of: caller.user, at: floor.now()) else {
            throw Refusal.freshSignInRequired
        }
    }

    private func checkPolicy(_ caller: UserCaller) throws {
        guard let session = caller.session, accounts.policy.hasEnded(session, at: floor.now()) else { return }
        throw Refusal.sessionExpired
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
        }
        if session != nil, current.session == nil {
            throw Refusal(.forbidden, .sessionNotFound, "Session from session_id claim in JWT does not exist")
        }
        if current.account.user.times.deletedAt != nil {
            throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        }
        if current.account.user.isBanned(at: floor.now()) {
            throw Refusal(.forbidden, .userBanned, "User is banned")
        }
        guard claims.audience.contains(current.account.user.audience) else { throw Refusal.badJWT(.wrongAudience) }
        if let audience = request.headers[.jwtAudience], !claims.audience.contains(audience) {
            throw Refusal(.badRequest, .validationFailed, "Token audience doesn't match request audience")
        }
        await usedTokens?.note(claims)
        return UserCaller(account: current.account, session: current.session)
    }

    @Sendable func requireUser(_ request: Request, _ context: ServerContext) async throws {
        _ = try await userCaller(request)
    }

    /// Refuses who may not use the admin API: a token with an admin role, or a secret key, is needed. Of a person's
    /// token the role is only asked for; who they are now, and whether they are banned, the database says each time. A
    /// person who changes something needs a fresh sign-in, where the policy asks for one.
    @Sendable func requireAdmin(_ request: Request, _ context: ServerContext) async throws {
        let bearer = request.headers.bearerToken
        if bearer?.hasPrefix("sb_") ?? true, let key = presentedAPIKey(request) {
            if settings.apiKeys.kind(of: key) == .secret { return }
            if bearer != nil { throw Refusal.notAdmin }
        }
        let claims = try verified(request).claims
        guard let role = claims.role, settings.adminRoles.contains(role) else { throw Refusal.notAdmin }
        // A token of nobody is a key: its role is all there is.
        guard claims.subject?.isEmpty == false else { return }
        let caller = try await userCaller(claims, request)
        try checkPolicy(caller)
        guard settings.adminRoles.contains(caller.user.role) else { throw Refusal.notAdmin }
        if request.method != .get, request.method != .head { try requireFreshSignIn(caller) }
    }

    /// Where keys are required, refuses a request without a known one, as the gateway before the Auth server does.
    @Sendable func requireAPIKey(_ request: Request, _ context: ServerContext) async throws {
        guard settings.apiKeys.areRequired else { return }
        if let key = presentedAPIKey(request) { return try check(key) }
        if let key = Query(request)["apikey"] { return try check(Secret(key)) }
        guard let bearer = request.headers.bearerToken else {
            throw Refusal(.unauthorized, "no_api_key", "No API key found in request")
        }
        try check(Secret(bearer))
    }

    /// - Throws: ``Refusal`` `invalid_api_key` when the key is none of ours.
    private func check(_ key: Secret) throws {
        guard settings.apiKeys.kind(of: key) == nil else { return }
        do throws(TokenRejection) {
            // The older keys are tokens with a role.
            if try keys.verify(key.reveal()).claims.role == nil { throw .missingClaim("role") }
        } catch {
            throw Refusal(.unauthorized, "invalid_api_key", "Invalid API key", cause: error)
        }
    }

    /// Refuses a secret key in the query, beside whatever else comes with the request: addresses are logged, and passed on
    /// by everybody on the way.
    @Sendable func refuseSecretKey(inAddressOf request: Request) throws {
        guard request.uri.query != nil else { return }
        let query = Query(request)
        let isSecret =
            query.parameters.contains { $0.value.utf8.starts(with: "sb_secret_".utf8) }
            || query["apikey"].map(givesRights) ?? false
        guard isSecret else { return }
        throw Refusal(.unauthorized, "invalid_api_key", "A secret key is accepted in a header only")
    }

    /// Whether it is one of the older secret keys, which are tokens with a role.
    private func givesRights(_ key: String) -> Bool {
        // A text that is no token of ours gives none.
        guard let role = try? keys.verify(key).claims.role else { return false }
        return settings.adminRoles.contains(role)
    }

    /// A bearer that is a key and no token, as some clients send it, else the `apikey` header.
    private func presentedAPIKey(_ request: Request) -> Secret? {
        if let bearer = request.headers.bearerToken, bearer.hasPrefix("sb_") { return Secret(bearer) }
        return request.headers[.apiKey].map(Secret.init)
    }

    private func verified(_ request: Request) throws -> VerifiedToken {
        guard let token = request.headers.bearerToken else {
            throw Refusal(.unauthorized, "no_authorization", "This endpoint requires a valid Bearer token")
        }
        do throws(TokenRejection) {
            return try keys.verify(token)
        } catch {
            throw Refusal.badJWT(error)
        }
    }

    /// nil when the token names none, or the nil UUID as old ones do.
    private static func session(of claims: TokenClaims) throws -> SessionID? {
        guard let text = claims.sessionID, !text.isEmpty else { return nil }
        guard let id = SessionID(text) else { throw Refusal.badJWT("session_id claim must be a UUID") }
        return id.isNil ? nil : id
    }
}

extension Refusal {
    fileprivate static func badJWT(_ problem: String, cause: (any Error)? = nil) -> Refusal {
        Refusal(.forbidden, .badJWT, "invalid JWT: \(problem)", cause: cause)
    }

    fileprivate static func badJWT(_ rejection: TokenRejection) -> Refusal {
        badJWT(rejection.publicText, cause: rejection)
    }

    static let sessionExpired = Refusal(.forbidden, "session_expired", "Session has expired")
    fileprivate static let notAdmin = Refusal(.forbidden, "not_admin", "User not allowed")
}

extension TokenRejection {
    /// Says what kind of fault it is and nothing of what was sent.
    fileprivate var publicText: String {
        switch self {
        case .expired: "token has invalid claims: token is expired"
        case .notYetValid: "token has invalid claims: token is not valid yet"
        case .wrongIssuer: "token has invalid claims: token has invalid issuer"
        case .wrongAudience: "token has invalid claims: token has invalid audience"
        default: "unable to parse or verify signature"
        }
    }
}

extension RefusalCode: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(value) }

    static let badJWT: Self = "bad_jwt"
    static let userNotFound: Self = "user_not_found"
    static let sessionNotFound: Self = "session_not_found"
    static let userBanned: Self = "user_banned"
    static let emailExists: Self = "email_exists"
    static let phoneExists: Self = "phone_exists"
}

extension HTTPField.Name {
    static let apiKey = Self("apikey")!
    fileprivate static let jwtAudience = Self("x-jwt-aud")!
}
