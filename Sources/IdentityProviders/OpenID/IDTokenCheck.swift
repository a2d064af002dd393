import Crypto
import GatehouseWire
import JSONWebTokens

/// What an ID token says to us (OpenID Connect Core 1.0 §2).
struct IDTokenClaims: Sendable {
    let issuer: String
    let subject: String
    let audience: [String]
    let expiresAt: Instant
    let issuedAt: Instant
    let notBefore: Instant?
    let nonce: String?
    let authorizedParty: String?
    let accessTokenHash: String?

    init(_ members: JSONObject) throws(TokenRejection) {
        let claims = ClaimReader(members: members)
        guard let expiresAt = try claims.time("exp") else { throw .missingClaim("exp") }
        guard let issuedAt = try claims.time("iat") else { throw .missingClaim("iat") }
        (self.expiresAt, self.issuedAt) = (expiresAt, issuedAt)
        notBefore = try claims.time("nbf")
        issuer = try claims.text("iss") ?? ""
        subject = try claims.text("sub") ?? ""
        audience = try claims.texts("aud")
        nonce = try claims.text("nonce")
        authorizedParty = try claims.text("azp")
        accessTokenHash = try claims.text("at_hash")
        guard subject.utf8.count <= 255 else { throw .malformedClaim("sub") }
    }
}

/// The rules for an ID token whose signature is right (OpenID Connect Core 1.0 §3.1.3.7). Decides, asks nobody.
struct IDTokenCheck: Sendable {
    /// How far the provider's clock may be ahead of ours.
    static let leeway: Duration = .seconds(60)

    let settings: ProviderSettings
    let metadata: ProviderMetadata
    let now: Instant

    /// - Parameters:
    ///   - accessToken: What came with it.
    ///   - nonce: Nil where another check has tied the token to its sign-in.
    ///   - client: The only one whom it may be made out to; nil for every configured one.
    func claims(
        of payload: SignedPayload, accessToken: Secret?, nonce: NonceExpectation?, client: String?
    ) throws(IdentityRejection) -> IDTokenClaims {
        try check(payload)
        let claims: IDTokenClaims
        do { claims = try IDTokenClaims(payload.members) } catch { throw .notAccepted(error) }
        guard isOurs(claims.issuer) else { throw .foreignIssuer }
        try checkTimes(claims)
        try check(accessToken, against: claims.accessTokenHash, payload.algorithm)
        guard !claims.subject.isEmpty else { throw .missingSubject }
        try checkAudience(claims, client: client)
        try nonce?.check(claims.nonce, settings)
        return claims
    }

    private func check(_ payload: SignedPayload) throws(IdentityRejection) {
        let announced = metadata.signingAlgorithms ?? []
        guard settings.algorithms.contains(payload.algorithm),
            announced.isEmpty || announced.contains(payload.algorithm.rawValue)
        else { throw .algorithm(payload.algorithm) }
        // An access token is no proof of a sign-in, whomever it is made out to (RFC 9068 §5).
        guard payload.type != "at+jwt" else { throw .notAccepted(.unsupportedHeader(member: "typ")) }
    }

    /// Apple and Google have several names; of others only the one in their own document counts.
    private func isOurs(_ issuer: String) -> Bool {
        settings.kind == .openID ? issuer == metadata.issuer : settings.issuers.contains(issuer)
    }

    private func checkTimes(_ claims: IDTokenClaims) throws(IdentityRejection) {
        guard now < claims.expiresAt else { throw .expired(claims.expiresAt) }
        guard claims.issuedAt <= now + Self.leeway else { throw .notYetValid(claim: "iat") }
        if let notBefore = claims.notBefore, notBefore > now + Self.leeway { throw .notYetValid(claim: "nbf") }
    }

    /// OpenID Connect Core 1.0 §3.1.3.6: the left half of the digest that the signature uses.
    private func check(
        _ accessToken: Secret?, against hash: String?, _ algorithm: SigningAlgorithm
    ) throws(IdentityRejection) {
        guard let accessToken, !accessToken.isEmpty, let hash, !hash.isEmpty else { return }
        let bytes = Array(accessToken.reveal().utf8)
        let half: [UInt8] =
            switch algorithm {
            case .rs256, .es256, .hs256: Array(SHA256.hash(data: bytes).prefix(16))
            case .rs512, .es512, .edDSA: Array(SHA512.hash(data: bytes).prefix(32))
            }
        guard Secret(Base64URL.text(half)).matches(Secret(hash)) else { throw .accessTokenMismatch }
    }

    /// An `azp` beside one audience may be another app of the same owner, as Google has it on Android; beside
    /// several it says who asked. Where we asked ourselves it can only be us.
    private func checkAudience(_ claims: IDTokenClaims, client: String?) throws(IdentityRejection) {
        let accepted = client.map { [$0] } ?? settings.clientIDs
        guard claims.audience.contains(where: { accepted.contains($0) }) else {
            throw .wrongAudience(found: claims.audience, accepted: accepted)
        }
        guard let party = claims.authorizedParty, claims.audience.count > 1 || client != nil else { return }
        guard accepted.contains(party) else { throw .wrongAuthorizedParty }
    }
}
