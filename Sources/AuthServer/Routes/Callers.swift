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
    /// Refuses what no signed-in person asks (wire contract 1.2), in the contract's order.
    func userCaller(_ request: Request) async throws -> UserCaller {
        let claims = try verified(request).claims
        guard let subject = claims.subject, !subject.isEmpty else { throw Refusal.badJWT("missing sub claim") }
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
        if current.account.user.isBanned(at: floor.now()) {
            throw Refusal(.forbidden, .userBanned, "User is banned")
        }
        if let audience = request.headers[.jwtAudience], !claims.audience.contains(audience) {
            throw Refusal(.badRequest, .validationFailed, "Token audience doesn't match request audience")
        }
        await usedTokens?.note(claims)
        return UserCaller(account: current.account, session: current.session)
    }

    @Sendable func requireUser(_ request: Request, _ context: ServerContext) async throws {
        _ = try await userCaller(request)
    }

    /// Refuses who may not use the admin API: a token with an admin role, or a secret key, is needed.
    @Sendable func requireAdmin(_ request: Request, _ context: ServerContext) async throws {
        let bearer = request.headers.bearerToken
        if bearer?.hasPrefix("sb_") ?? true, let key = presentedAPIKey(request) {
            if settings.apiKeys.kind(of: key) == .secret { return }
            if bearer != nil { throw Refusal.notAdmin }
        }
        let claims = try verified(request).claims
        guard let role = claims.role, settings.adminRoles.contains(role) else { throw Refusal.notAdmin }
        // A person's own token with an admin role ends with its session.
        guard let session = try Self.session(of: claims), let user = claims.subject.flatMap(UserID.init) else { return }
        guard let current = try await accounts.current(user, session: session) else {
            throw Refusal(.forbidden, .userNotFound, "User from sub claim in JWT does not exist")
        }
        guard let found = current.session else {
            throw Refusal(.forbidden, .sessionNotFound, "Session from session_id claim in JWT does not exist")
        }
        if accounts.policy.hasEnded(found, at: floor.now()) {
            throw Refusal(.forbidden, "session_expired", "Session has expired")
        }
    }

    /// Where keys are required, refuses a request without a known one, as the gateway before the Auth server does.
    @Sendable func requireAPIKey(_ request: Request, _ context: ServerContext) async throws {
        guard settings.apiKeys.areRequired else { return }
        guard let key = presentedAPIKey(request) ?? request.headers.bearerToken.map(Secret.init) else {
            throw Refusal(.unauthorized, "no_api_key", "No API key found in request")
        }
        if settings.apiKeys.kind(of: key) != nil { return }
        do throws(TokenRejection) {
            // The older keys are tokens with a role.
            guard try keys.verify(key.reveal()).claims.role != nil else { throw .missingClaim("role") }
        } catch {
            throw Refusal(.unauthorized, "invalid_api_key", "Invalid API key", cause: error)
        }
    }

    /// A bearer that is a key and no token, as some clients send it, else the `apikey` header or parameter.
    private func presentedAPIKey(_ request: Request) -> Secret? {
        if let bearer = request.headers.bearerToken, bearer.hasPrefix("sb_") { return Secret(bearer) }
        return (request.headers[.apiKey] ?? Query(request)["apikey"]).map(Secret.init)
    }

    private func verified(_ request: Request) throws -> VerifiedToken {
        guard let token = request.headers.bearerToken else {
            throw Refusal(.unauthorized, "no_authorization", "This endpoint requires a valid Bearer token")
        }
        do throws(TokenRejection) {
            return try keys.verify(token)
        } catch {
            throw Refusal.badJWT(error.publicText, cause: error)
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

    fileprivate static let notAdmin = Refusal(.forbidden, "not_admin", "User not allowed")
}

extension TokenRejection {
    /// Says what kind of fault it is and nothing of what was sent.
    fileprivate var publicText: String {
        switch self {
        case .expired: "token has invalid claims: token is expired"
        case .notYetValid: "token has invalid claims: token is not valid yet"
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
