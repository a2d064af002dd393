package import GatehouseWire

/// What a verified token claims (RFC 7519 §4.1 and the Auth API's own). A null counts as absent.
package struct TokenClaims: Equatable, Sendable {
    /// `sub`
    package let subject: String?
    /// `iss`
    package let issuer: String?
    /// `aud`, which may be one text or several.
    package let audience: [String]
    /// `exp`
    package let expiresAt: Instant
    /// `nbf`
    package let notBefore: Instant?
    /// `iat`
    package let issuedAt: Instant?
    /// `role`
    package let role: String?
    /// `session_id`
    package let sessionID: String?
    /// `email`
    package let email: String?
    /// `nonce`
    package let nonce: String?
    /// `is_anonymous`
    package let isAnonymous: Bool?
    /// `azp`
    package let authorizedParty: String?
    /// The payload as it was signed: kept as bytes, a tenth of what its parts would take in a cache.
    private let payload: [UInt8]

    init(payload: [UInt8]) throws(TokenRejection) {
        let members = try CompactToken.members(payload, .payload)
        let claims = ClaimReader(members: members)
        guard let expiresAt = try claims.time("exp") else { throw .missingClaim("exp") }
        self.expiresAt = expiresAt
        notBefore = try claims.time("nbf")
        issuedAt = try claims.time("iat")
        subject = try claims.text("sub")
        issuer = try claims.text("iss")
        audience = try claims.texts("aud")
        role = try claims.text("role")
        sessionID = try claims.text("session_id")
        email = try claims.text("email")
        nonce = try claims.text("nonce")
        isAnonymous = try claims.flag("is_anonymous")
        authorizedParty = try claims.text("azp")
        self.payload = payload
    }

    /// Every claim, those above included; read anew by each call.
    package var members: [String: AnyJSON] {
        do { return try CompactToken.members(payload, .payload) } catch { return [:] }
    }

    /// - Parameter leeway: How far the clocks may be apart.
    func check(at now: Instant, leeway: Duration) throws(TokenRejection) {
        guard now < expiresAt + leeway else { throw .expired(expiresAt) }
        if let notBefore, now + leeway < notBefore { throw .notYetValid(notBefore) }
    }

    /// - Throws: ``TokenRejection/wrongIssuer`` or ``TokenRejection/wrongAudience``, also when the claim is absent.
    package func check(issuer: String, audience: String) throws(TokenRejection) {
        try check(issuers: [issuer], audiences: [audience])
    }

    /// For providers with several names, and applications with several client ids: one of each has to match.
    package func check(issuers: Set<String>, audiences: Set<String>) throws(TokenRejection) {
        guard let issuer, issuers.contains(issuer) else { throw .wrongIssuer }
        guard audience.contains(where: audiences.contains) else { throw .wrongAudience }
    }
}

private struct ClaimReader {
    /// The end of the year 9999 in seconds since 1970: later times could not be added to.
    private static let lastSecond = 253_402_300_799.0

    let members: [String: AnyJSON]

    private func claim(_ name: String) -> AnyJSON? {
        guard let claim = members[name], !claim.isNull else { return nil }
        return claim
    }

    func text(_ name: String) throws(TokenRejection) -> String? {
        guard let claim = claim(name) else { return nil }
        guard let text = claim.stringValue else { throw .malformedClaim(name) }
        return text
    }

    func flag(_ name: String) throws(TokenRejection) -> Bool? {
        guard let claim = claim(name) else { return nil }
        guard let flag = claim.boolValue else { throw .malformedClaim(name) }
        return flag
    }

    /// One text or an array of them (RFC 7519 §4.1.3).
    func texts(_ name: String) throws(TokenRejection) -> [String] {
        guard let claim = claim(name) else { return [] }
        if let text = claim.stringValue { return [text] }
        guard let elements = claim.arrayValue else { throw .malformedClaim(name) }
        let texts = elements.compactMap(\.stringValue)
        guard texts.count == elements.count else { throw .malformedClaim(name) }
        return texts
    }

    /// A NumericDate: seconds since 1970, a fraction allowed (RFC 7519 §2).
    func time(_ name: String) throws(TokenRejection) -> Instant? {
        switch claim(name) {
        case nil: return nil
        case .integer(let seconds) where abs(Double(seconds)) <= Self.lastSecond: return Instant(seconds: seconds)
        case .double(let seconds) where abs(seconds) <= Self.lastSecond:
            return Instant(microseconds: Int64((seconds * 1_000_000).rounded(.down)))
        default: throw .malformedClaim(name)
        }
    }
}
