import Foundation
import JWTKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The claims of an access token that this API uses.
struct AccessToken: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    /// The user's id, which never changes. An email address does.
    let sub: SubjectClaim

    func verify(using _: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(includes: "authenticated")
    }
}

/// Verifies access tokens with the auth server's public keys, without a request to the server for each token.
///
/// A token stays valid until it expires, also after a sign-out. Ask the auth server (`GET /auth/v1/user`) before an
/// action that a signed-out device must not take.
actor AccessTokens {
    /// The keys could not be fetched. The token may be valid: respond with 503, because a client takes 401 for its token.
    struct NoKeys: Error {}

    private let issuer: String
    private var keys = JWTKeyCollection()
    private var fetched: ContinuousClock.Instant?

    /// - Parameter issuer: The auth server's URL, such as `https://accounts.example.com/auth/v1`.
    init(issuer: String) { self.issuer = issuer }

    /// - Throws: ``NoKeys``, or an error of JWTKit for a token that is not valid.
    func verify(_ token: String) async throws -> AccessToken {
        try await fetch(after: .seconds(600))
        do {
            return try await verifyOnce(token)
        } catch let error as JWTError
            where error.errorType == .signatureVerificationFailed || error.errorType == .unknownKID
        {
            // The server may have new keys. Once a minute, so that forged tokens cause no load.
            guard try await fetch(after: .seconds(60)) else { throw error }
            return try await verifyOnce(token)
        }
    }

    private func verifyOnce(_ token: String) async throws -> AccessToken {
        let payload = try await keys.verify(token, as: AccessToken.self)
        guard payload.iss.value == issuer else {
            throw JWTError.claimVerificationFailure(failedClaim: payload.iss, reason: "another issuer")
        }
        return payload
    }

    /// Replaces the keys if they are older than `age`. Without a response, the previous keys stay.
    ///
    /// - Returns: Whether there are other keys.
    @discardableResult
    private func fetch(after age: Duration) async throws -> Bool {
        if let fetched, ContinuousClock.now - fetched < age { return false }
        do {
            guard let url = URL(string: issuer + "/.well-known/jwks.json") else { throw NoKeys() }
            let (data, response) = try await URLSession.shared.data(from: url)
            guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw NoKeys() }
            let new = JWTKeyCollection()
            try await new.add(jwksJSON: String(decoding: data, as: UTF8.self))
            (keys, fetched) = (new, .now)
            return true
        } catch {
            guard fetched != nil else { throw NoKeys() }
            return false
        }
    }
}
