import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import JSONWebTokens
import ProfileGateway

/// The gateway's questions about accounts, answered by the auth server in the same process.
struct LocalBearer: Sendable {
    let keys: KeyRing
    let accounts: Accounts
    let profiles: Profiles
    let usedTokens: UsedTokens?
    let issuer: String
    let audience: String
    let now: @Sendable () -> Instant

    /// Requirement C4: signature and times, then `iss`, `aud`, `sub`.
    ///
    /// - Parameter refusesRevoked: Whether to refuse tokens of sessions that have ended, and of people who were banned or
    ///   deleted, as far as this process has heard of it (see ``RevocationWatch``).
    @Sendable func authenticate(_ token: String, refusesRevoked: Bool) async throws(BearerRefusal) -> Bearer {
        let claims: TokenClaims
        do throws(TokenRejection) {
            claims = try keys.verify(token, refusesRevoked: refusesRevoked).claims
            try claims.check(issuer: issuer, audience: audience)
        } catch {
            if case .expired = error { throw .expired }
            throw .invalid
        }
        await usedTokens?.note(claims)
        // A service key has no `sub`: it is nobody's profile.
        guard let id = claims.subject.flatMap(AccountID.init) else { throw .invalid }
        let email = claims.email.flatMap { $0.isEmpty ? nil : $0 }
        return Bearer(userID: id, email: email, sessionID: claims.sessionID, tokenText: token)
    }

    /// In one transaction with a look at account and session.
    @Sendable func change(_ bearer: Bearer, _ changes: ProfileChanges, at now: Instant) async throws -> ProfileRecord {
        let (accounts, user) = (accounts, UserID(trusted: bearer.userID.text))
        return try await profiles.change(bearer.userID, changes, at: now) { db in
            try accounts.mayChange(user, session: bearer.sessionID, at: now, in: db)
        }
    }

    /// In one transaction: sessions, identities and profile go with the account. What cannot be taken back needs a
    /// session that goes on.
    @Sendable func delete(_ bearer: Bearer) async throws -> AccountDeletion {
        let user = UserID(trusted: bearer.userID.text)
        switch try await accounts.deleteOwn(user, session: bearer.sessionID, at: now()) {
        case .deleted: return .deleted
        case .alreadyGone: return .alreadyGone
        case .refused: return .refused
        case .stale: return .stale
        }
    }
}
