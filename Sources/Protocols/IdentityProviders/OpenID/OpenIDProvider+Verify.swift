package import GatehouseWire
import JSONWebTokens

extension OpenIDProvider {
    /// - Parameters:
    ///   - idToken: At most ``ProviderLimits/idToken`` bytes.
    ///   - accessToken: Must match `at_hash` if the token has one.
    ///   - client: The only accepted client id, for tokens that we requested. nil accepts every configured one.
    /// - Throws: ``ProviderFailure/rejected(_:)``, or ``ProviderFailure/unavailable(_:_:)`` without keys or endpoints.
    package func verify(
        idToken: Secret, accessToken: Secret? = nil, nonce: NonceExpectation, client: String? = nil, at now: Instant
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        guard settings.acceptsIDTokens else { throw .rejected(.foreignIssuer) }
        let (claims, payload) = try await checked(idToken, accessToken, nonce, client, now)
        var verified = identity(claims, payload.members, client: client)
        verified.token = IDTokenFingerprint(idToken, claims, payload.members)
        return verified
    }

    /// Uses the ID token, and the provider's profile if that is missing or has no address.
    ///
    /// - Parameter nonce: ``AuthorizationRequest/nonce``; nil for an app's code, whose ID token is verified separately.
    /// - Throws: As ``verify(idToken:accessToken:nonce:client:at:)`` and, if the profile is needed, ``profile(_:)``.
    package func identity(
        of tokens: ProviderTokens, nonce: String?, at now: Instant
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        if let oauth = settings.oauth { return try await identity(of: tokens, by: oauth) }
        guard let idToken = tokens.idToken else {
            guard !settings.asksForIDToken else { throw .rejected(.missingIDToken) }
            let profile = try await profile(tokens)
            guard let subject = profile["sub"]?.stringValue, (1...255).contains(subject.utf8.count) else {
                throw .rejected(.missingSubject)
            }
            return VerifiedIdentity(
                ProfileClaims(members: profile), subject: subject, issuer: settings.issuers[0], client: nil,
                settings: settings)
        }
        // Without the scope `openid`, no nonce was sent.
        let expectation = settings.asksForIDToken ? nonce.map(NonceExpectation.sent) : nil
        let (claims, payload) = try await checked(idToken, tokens.accessToken, expectation, tokens.client, now)
        let known = identity(claims, payload.members, client: tokens.client)
        guard known.email == nil, settings.kind != .apple, tokens.accessToken != nil,
            try await metadata().userInfo != nil
        else { return known }
        let profile = try await profile(tokens)
        // OpenID Connect Core 1.0 §5.3.2.
        guard profile["sub"]?.stringValue == claims.subject else { throw .rejected(.foreignProfile) }
        // An address and its verification must come from the same source.
        let addresses = ["email", "email_verified", "verified_email", settings.vouchingClaim].compactMap(\.self)
        let signed = payload.members.filter { !addresses.contains($0.key) }
        return identity(claims, signed.merging(profile) { signed, _ in signed }, client: tokens.client)
    }

    /// OpenID Connect Core 1.0 §5.3.
    ///
    /// - Throws: ``ProviderFailure/notOffered(_:)`` without an access token or a user info endpoint; otherwise
    ///   ``ProviderFailure/refused(_:error:description:)`` or ``ProviderFailure/unavailable(_:_:)``.
    package func profile(_ tokens: ProviderTokens) async throws(ProviderFailure) -> AuthJSONObject {
        guard let token = tokens.accessToken, let endpoint = try await metadata().userInfo else {
            throw .notOffered(.userInfo)
        }
        let request = ProviderRequest.get(
            endpoint, authorization: Secret("Bearer " + token.reveal()), maximumBytes: ProviderLimits.answer)
        return try await caller.object(request, for: .userInfo)
    }

    private func checked(
        _ idToken: Secret, _ accessToken: Secret?, _ nonce: NonceExpectation?, _ client: String?, _ now: Instant
    ) async throws(ProviderFailure) -> (IDTokenClaims, SignedPayload) {
        let payload = try await signed(idToken)
        let check = IDTokenCheck(settings: settings, metadata: try await metadata(), now: now)
        do {
            let claims = try check.claims(of: payload, accessToken: accessToken, nonce: nonce, client: client)
            return (claims, payload)
        } catch {
            throw .rejected(error)
        }
    }

    /// Refuses other issuers' tokens before fetching keys.
    func signed(_ token: Secret) async throws(ProviderFailure) -> SignedPayload {
        let text = token.reveal()
        guard text.utf8.count <= ProviderLimits.idToken,
            let issuer = SignedPayload.unverified(text)?["iss"]?.stringValue
        else { throw .rejected(.unreadable) }
        guard mayBeOurs(issuer) else { throw .rejected(.foreignIssuer) }
        do throws(RemoteKeySet.Failure) {
            return try await keys.payload(of: text)
        } catch {
            switch error {
            case .rejected(let rejection): throw .rejected(.notAccepted(rejection))
            case .keysUnavailable: throw await keysFailure()
            }
        }
    }

    package func mayBeOurs(_ issuer: String) -> Bool {
        if settings.issuers.contains(issuer) { return true }
        if let tenants = TenantIssuer(settings.issuers[0]) { return tenants.tenant(of: issuer) != nil }
        return settings.kind == .openID && ProviderMetadata.isSameIssuer(issuer, settings.issuers[0])
    }

    private func identity(
        _ claims: IDTokenClaims, _ members: AuthJSONObject, client: String?
    ) -> VerifiedIdentity {
        let accepted = client.map { [$0] } ?? settings.clientIDs
        return VerifiedIdentity(
            ProfileClaims(members: members), subject: claims.subject,
            // Google's two names mean the same issuer.
            issuer: settings.kind == .google ? settings.issuers[0] : claims.issuer,
            client: claims.audience.first(where: { accepted.contains($0) }) ?? accepted[0], settings: settings)
    }
}
