package import GatehouseWire

/// RFC 7519 §4.1 and Supabase Auth's. null is treated as absent.
package struct TokenClaims: Equatable, Sendable {
    package let subject: String?
    package let issuer: String?
    /// A string or an array of strings.
    package let audience: [String]
    /// nil for a key; see ``KeySet/verify(_:at:leeway:acceptsKeys:)``.
    package let expiresAt: Instant?
    package let notBefore: Instant?
    package let issuedAt: Instant?
    package let role: String?
    package let sessionID: String?
    /// Of the refresh token issued with it, if the issuer includes it.
    package let refreshCounter: Int64?
    package let email: String?
    /// The session's level when the token was issued.
    package let assuranceLevel: String?
    /// The newest time in `amr` by one of ``proofMethods``, in whole seconds. nil without one, as in a list of names
    /// (RFC 8176).
    package let provenAt: Instant?
    /// In `amr`, at Supabase Auth and here. Excludes `anonymous` and `token_refresh`.
    package static let proofMethods = [
        "password", "oauth", "otp", "magiclink", "recovery", "invite", "email/signup", "email_change", "sso/saml",
        "web3", "oauth_provider/authorization_code", "passkey", "totp", "mfa/phone", "mfa/webauthn",
        "mfa/recovery_code",
    ]
    /// Bytes take a tenth of the parsed members' memory.
    private let payload: [UInt8]

    init(payload: [UInt8]) throws(TokenRejection) {
        let members = try CompactToken.members(payload, .payload)
        let claims = ClaimReader(members: members)
        expiresAt = try claims.time("exp")
        notBefore = try claims.time("nbf")
        issuedAt = try claims.time("iat")
        subject = try claims.text("sub")
        issuer = try claims.text("iss")
        audience = try claims.texts("aud")
        role = try claims.text("role")
        sessionID = try claims.text("session_id")
        refreshCounter = try claims.integer("refresh_counter")
        email = try claims.text("email")
        assuranceLevel = members["aal"]?.stringValue
        provenAt = claims.newestProof(by: Self.proofMethods)
        self.payload = payload
    }

    /// Parsed on each call.
    package var members: AuthJSONObject {
        do { return try CompactToken.members(payload, .payload) } catch { return [:] }
    }

    /// Without leeway.
    func isLive(at now: Instant) -> Bool { expiresAt.map { now < $0 } ?? true }

    func check(at now: Instant, leeway: Duration) throws(TokenRejection) {
        if let expiresAt, now >= expiresAt + leeway { throw .expired(expiresAt) }
        if let notBefore, now + leeway < notBefore { throw .notYetValid(notBefore) }
    }

    /// - Throws: ``TokenRejection/wrongIssuer`` or ``TokenRejection/wrongAudience``, also if absent.
    package func check(issuer: String, audience: String) throws(TokenRejection) {
        try check(issuers: [issuer], audiences: [audience])
    }

    /// One of each must match.
    package func check(issuers: [String], audiences: [String]) throws(TokenRejection) {
        guard let issuer, issuers.contains(issuer) else { throw .wrongIssuer }
        guard audience.contains(where: { audiences.contains($0) }) else { throw .wrongAudience }
    }
}
