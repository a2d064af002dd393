package import GatehouseWire
package import JSONWebTokens

/// Checks another server's tokens, such as hosted Supabase's: signature, `exp`, `nbf`, then `iss`, `aud`, `sub`
/// (requirement C4).
package struct BearerCheck: Sendable {
    private let issuers: [String]
    private let audiences: [String]
    private let cache: VerifiedTokenCache
    private let now: @Sendable () -> Instant
    private let remoteKeys: RemoteKeySet
    private let leeway: Duration

    /// - Parameters:
    ///   - issuers: Accepted values of `iss`, which is required.
    ///   - leeway: Clock difference.
    package init(
        issuers: [String], audiences: [String], cache: VerifiedTokenCache, now: @escaping @Sendable () -> Instant,
        remoteKeys: RemoteKeySet, leeway: Duration = .seconds(5)
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.cache = cache
        self.now = now
        self.remoteKeys = remoteKeys
        self.leeway = leeway
    }

    /// Ignores `refusesRevoked`: only the issuer knows ended sessions.
    ///
    /// - Throws: ``BearerRefusal/expired``, ``BearerRefusal/keysUnavailable(_:)`` (503), otherwise
    ///   ``BearerRefusal/invalid``.
    @Sendable package func bearer(_ token: String, refusesRevoked: Bool) async throws(BearerRefusal) -> Bearer {
        let claims: TokenClaims
        do throws(RemoteKeySet.Failure) {
            claims = try await cache.verified(token, at: now(), leeway: leeway, by: remoteKeys).claims
        } catch {
            throw Self.refusal(error)
        }
        do throws(TokenRejection) {
            try claims.check(issuers: issuers, audiences: audiences)
        } catch {
            throw .invalid
        }
        // A service key has no `sub`, so no profile.
        guard let userID = claims.subject.flatMap(AccountID.init) else { throw .invalid }
        let email = claims.email.flatMap { $0.isEmpty ? nil : $0 }
        var bearer = Bearer(
            userID: userID, email: email, sessionID: claims.sessionID, level: claims.assuranceLevel,
            provenAt: claims.provenAt, tokenText: token)
        bearer.isChild = claims.members["session_kind"] != nil
        return bearer
    }

    private static func refusal(_ failure: RemoteKeySet.Failure) -> BearerRefusal {
        switch failure {
        case .rejected(.expired): .expired
        case .rejected: .invalid
        case .keysUnavailable: .keysUnavailable(failure)
        }
    }
}
