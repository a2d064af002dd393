import GatehouseWire
import JSONWebTokens

/// OpenID Connect Core 1.0 §2.
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

    init(_ members: AuthJSONObject) throws(TokenRejection) {
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

/// OpenID Connect Core 1.0 §3.1.3.7, after the signature.
struct IDTokenCheck: Sendable {
    /// How far the provider's clock may be ahead.
    static let leeway: Duration = .seconds(60)

    let settings: ProviderSettings
    let metadata: ProviderMetadata
    let now: Instant

    /// - Parameters:
    ///   - nonce: nil if another check has bound the token to its sign-in.
    ///   - client: nil accepts every configured client id.
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
        if let claim = settings.refusedClaims.first(where: { payload.members[$0] != nil }) {
            throw .notAccepted(.malformedClaim(claim))
        }
        // An access token does not prove a sign-in, whatever its audience (RFC 9068 §5).
        guard payload.type != "at+jwt" else { throw .notAccepted(.unsupportedHeader(member: "typ")) }
    }

    /// Apple and Google have several issuer names.
    private func isOurs(_ issuer: String) -> Bool {
        if let tenants = TenantIssuer(metadata.issuer) { return tenants.tenant(of: issuer) != nil }
        return settings.kind == .openID ? issuer == metadata.issuer : settings.issuers.contains(issuer)
    }

    private func checkTimes(_ claims: IDTokenClaims) throws(IdentityRejection) {
        guard now < claims.expiresAt else { throw .expired(claims.expiresAt) }
        guard claims.issuedAt <= now + Self.leeway else { throw .notYetValid(claim: "iat") }
        if let notBefore = claims.notBefore, notBefore > now + Self.leeway { throw .notYetValid(claim: "nbf") }
    }

    /// OpenID Connect Core 1.0 §3.1.3.6.
    private func check(
        _ accessToken: Secret?, against hash: String?, _ algorithm: SigningAlgorithm
    ) throws(IdentityRejection) {
        guard let accessToken, !accessToken.isEmpty, let hash, !hash.isEmpty else { return }
        guard Secret(algorithm.halfHash(of: accessToken.reveal())).matches(Secret(hash)) else {
            throw .accessTokenMismatch
        }
    }

    /// A single audience allows the owner's other app as `azp`, as with Google on Android. With several audiences, and
    /// in tokens that we requested, it must be ours.
    private func checkAudience(_ claims: IDTokenClaims, client: String?) throws(IdentityRejection) {
        let accepted = client.map { [$0] } ?? settings.clientIDs
        guard claims.audience.contains(where: { accepted.contains($0) }) else {
            throw .wrongAudience(found: claims.audience, accepted: accepted)
        }
        guard claims.audience.count > 1 || client != nil && claims.authorizedParty != nil else { return }
        guard let party = claims.authorizedParty, accepted.contains(party) else { throw .wrongAuthorizedParty }
    }
}
