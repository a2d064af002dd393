package import GatehouseWire
package import JSONWebTokens

/// Checks tokens as requirement C4 wants it: signature, `exp` and `nbf` by the keys, then `iss`, `aud`, `sub`.
package struct BearerCheck: Sendable {
    private let issuers: [String]
    private let audiences: [String]
    private let now: @Sendable () -> Instant
    private typealias Verify =
        @Sendable (_ token: String, _ now: Instant, _ refusesRevoked: Bool) async throws(RemoteKeySet.Failure)
        -> VerifiedToken
    private let verify: Verify

    /// For keys that are in this process.
    ///
    /// - Parameters:
    ///   - issuers: the values of `iss` that are ours. A token without `iss` is not valid.
    ///   - cache: whoever rotates the keys has it forget everything, and whoever ends sessions has it refuse them.
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

    /// For the keys of another server, hosted Supabase among them.
    ///
    /// - Parameter leeway: how far the clocks may be apart.
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

    /// What ``ProfileRoutes`` wants as `authenticate`.
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
        // A service key has no `sub`: it is nobody's profile.
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
