package import GatehouseWire

/// The claims of a verified token (RFC 7519 §4.1 and those of Supabase Auth). null counts as absent.
package struct TokenClaims: Equatable, Sendable {
    /// `sub`
    package let subject: String?
    /// `iss`
    package let issuer: String?
    /// `aud`, a string or an array of strings.
    package let audience: [String]
    /// `exp`; nil for a key that never ends, see ``KeySet/verify(_:at:leeway:acceptsKeys:)``.
    package let expiresAt: Instant?
    /// `nbf`
    package let notBefore: Instant?
    /// `iat`
    package let issuedAt: Instant?
    /// `role`
    package let role: String?
    /// `session_id`
    package let sessionID: String?
    /// `refresh_counter`: the counter of the refresh token that was issued with it, if the issuer includes it.
    package let refreshCounter: Int64?
    /// `email`
    package let email: String?
    /// `aal`: the level of the session when the token was issued.
    package let assuranceLevel: String?
    /// The newest time in `amr` by one of ``proofMethods``: when the user last gave a proof, in whole seconds. nil without
    /// one, as in a list of names (RFC 8176).
    package let provenAt: Instant?
    /// The methods in `amr` by which users show who they are, at Supabase Auth and here. Excludes `anonymous` and
    /// `token_refresh`.
    package static let proofMethods = [
        "password", "oauth", "otp", "magiclink", "recovery", "invite", "email/signup", "email_change", "sso/saml",
        "web3", "oauth_provider/authorization_code", "passkey", "totp", "mfa/phone", "mfa/webauthn",
        "mfa/recovery_code",
    ]
    /// The signed payload. Stored as bytes, which take a tenth of the memory of the parsed members.
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

    /// All claims, parsed on each call.
    package var members: AuthJSONObject {
        do { return try CompactToken.members(payload, .payload) } catch { return [:] }
    }

    /// Whether the token is before its `exp`, without any leeway.
    func isLive(at now: Instant) -> Bool { expiresAt.map { now < $0 } ?? true }

    /// - Parameter leeway: The tolerated difference between the clocks.
    func check(at now: Instant, leeway: Duration) throws(TokenRejection) {
        if let expiresAt, now >= expiresAt + leeway { throw .expired(expiresAt) }
        if let notBefore, now + leeway < notBefore { throw .notYetValid(notBefore) }
    }

    /// - Throws: ``TokenRejection/wrongIssuer`` or ``TokenRejection/wrongAudience``, also if the claim is absent.
    package func check(issuer: String, audience: String) throws(TokenRejection) {
        try check(issuers: [issuer], audiences: [audience])
    }

    /// For issuers with several names and apps with several client ids: one of each must match.
    ///
    /// - Throws: As ``check(issuer:audience:)``.
    package func check(issuers: [String], audiences: [String]) throws(TokenRejection) {
        guard let issuer, issuers.contains(issuer) else { throw .wrongIssuer }
        guard audience.contains(where: { audiences.contains($0) }) else { throw .wrongAudience }
    }
}
