package import GatehouseWire
package import JSONWebTokens

/// Verifies access tokens: signature, `exp` and `nbf`, then `iss`, `aud` and `sub`.
package struct BearerCheck: Sendable {
    private let issuers: [String]
    private let audiences: [String]
    private let now: @Sendable () -> Instant
    private typealias Verify =
        @Sendable (_ token: String, _ now: Instant, _ refusesRevoked: Bool) async throws(RemoteKeySet.Failure)
        -> VerifiedToken
    private let verify: Verify

    /// Verifies with keys in this process.
    ///
    /// - Parameters:
    ///   - issuers: The accepted values of `iss`. A token without `iss` is invalid.
    ///   - cache: Clear it after a key rotation, and revoke the sessions that end in it.
    package init(
        issuers: [String], audiences: [String], cache: VerifiedTokenCache, now: @escaping @Sendable () -> Instant,
        keys: @escaping @Sendable () -> KeySet
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.now = now
        verify = { token, now, refusesRevoked async throws(RemoteKeySet.Failure) in
            do throws(TokenRejection) {
                return try cache.verified(token, at: now, refusesRevoked: refusesRevoked) {
                    text throws(TokenRejection) in
                    try keys().verify(text, at: now)
                }
            } catch {
                throw .rejected(error)
            }
        }
    }

    /// Verifies with the keys of another server, such as hosted Supabase.
    ///
    /// - Parameter leeway: The tolerated difference between the clocks.
    package init(
        issuers: [String], audiences: [String], cache: VerifiedTokenCache, now: @escaping @Sendable () -> Instant,
        remoteKeys: RemoteKeySet, leeway: Duration = .seconds(5)
    ) {
        self.issuers = issuers
        self.audiences = audiences
        self.now = now
        verify = { token, now, _ async throws(RemoteKeySet.Failure) in
            try await cache.verified(token, at: now, leeway: leeway, by: remoteKeys)
        }
    }

    /// The function that ``ProfileRoutes`` takes as `authenticate`.
    @Sendable package func bearer(_ token: String, refusesRevoked: Bool) async throws(BearerRefusal) -> Bearer {
        let claims: TokenClaims
        do throws(RemoteKeySet.Failure) {
            claims = try await verify(token, now(), refusesRevoked).claims
        } catch {
            throw Self.refusal(error)
        }
        do throws(TokenRejection) {
            try claims.check(issuers: issuers, audiences: audiences)
        } catch {
            throw .invalid
        }
        // A service key has no `sub`, and therefore no profile.
        guard let userID = claims.subject.flatMap(AccountID.init) else { throw .invalid }
        let email = claims.email.flatMap { $0.isEmpty ? nil : $0 }
        return Bearer(userID: userID, email: email, sessionID: claims.sessionID, tokenText: token)
    }

    private static func refusal(_ failure: RemoteKeySet.Failure) -> BearerRefusal {
        switch failure {
        case .rejected(.expired): .expired
        case .rejected: .invalid
        case .keysUnavailable: .keysUnavailable(failure)
        }
    }
}
