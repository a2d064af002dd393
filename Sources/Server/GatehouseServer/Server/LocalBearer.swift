import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import JSONWebTokens
import ProfileGateway

struct LocalBearer: Sendable {
    let keys: KeyRing
    let accounts: Accounts
    let profiles: Profiles
    let usedTokens: UsedTokens
    let issuer: String
    let audience: String
    let clients: ClientRights?
    let now: @Sendable () -> Instant

    /// - Parameter refusesRevoked: As far as this process knows (``RevocationPoller``).
    @Sendable func authenticate(_ token: String, refusesRevoked: Bool) async throws(BearerRefusal) -> Bearer {
        let claims: TokenClaims
        let scopes: [String]?
        do throws(TokenRejection) {
            claims = try keys.verify(token, refusesRevoked: refusesRevoked).claims
            scopes = try clientScopes(claims)
            if scopes == nil { try claims.check(issuer: issuer, audience: audience) }
        } catch {
            if case .expired = error { throw .expired }
            throw .invalid
        }
        await usedTokens.note(claims)
        // A service key has no `sub`, so no profile.
        guard let id = claims.subject.flatMap(AccountID.init) else { throw .invalid }
        let email = claims.email.flatMap { $0.isEmpty ? nil : $0 }
        var bearer = Bearer(
            userID: id, email: email, sessionID: claims.sessionID, level: claims.assuranceLevel,
            tokenText: token)
        bearer.clientScopes = scopes
        bearer.isChild = claims.members["session_kind"] != nil
        return bearer
    }

    /// nil unless it is a client's token (RFC 9068) for the profiles. Settings keep their address out of users' tokens.
    ///
    /// A token with a key (`cnf`) is refused: the gateway checks no proofs.
    private func clientScopes(_ claims: TokenClaims) throws(TokenRejection) -> [String]? {
        guard let clients, claims.audience.contains(clients.resource) else { return nil }
        try claims.check(issuer: issuer, audience: clients.resource)
        let members = claims.members
        guard members["client_id"]?.stringValue != nil, members["cnf"] == nil else { throw .wrongAudience }
        return members["scope"]?.stringValue.flatMap(OAuthScopes.init)?.names ?? []
    }

    /// Checks account and session in the same transaction.
    @Sendable func change(_ bearer: Bearer, _ changes: ProfileChanges, at now: Instant) async throws -> ProfileRecord {
        let (accounts, user) = (accounts, UserID(trusted: bearer.userID.text))
        return try await profiles.change(bearer.userID, changes, at: now) { db in
            try accounts.mayChange(user, session: bearer.sessionID, at: now, in: db)
        }
    }

    /// One transaction. Requires an active session, because deletion is final.
    @Sendable func delete(_ bearer: Bearer) async throws -> AccountDeletion {
        let user = UserID(trusted: bearer.userID.text)
        // The deletion would erase device and address again.
        var device = Device(userAgent: nil, address: nil)
        device.requestID = bearer.requestID
        let level = bearer.level.flatMap(AssuranceLevel.init(text:)) ?? .aal1
        let outcome = try await accounts.deleteOwn(
            user, session: bearer.sessionID, level: level, from: device, at: now())
        switch outcome {
        case .deleted: return .deleted
        case .alreadyGone: return .alreadyGone
        case .refused: return .refused
        case .stale: return .stale
        case .tooLow: return .tooLow
        }
    }
}
