package import GatehouseWire
import JSONWebTokens

extension OpenIDProvider {
    /// Checks an ID token with the issuer's keys (requirement D4, contract 2.5.3 steps 5 to 12).
    ///
    /// - Parameters:
    ///   - accessToken: What came with it; has to fit `at_hash` when the token has that.
    ///   - client: The only client id that it may be made out to, where we asked for it ourselves. For an app's
    ///     token nil: any that is configured.
    ///   - now: For `exp`, `iat` and `nbf`.
    package func verify(
        idToken: Secret, accessToken: Secret? = nil, nonce: NonceExpectation, client: String? = nil, at now: Instant
    ) async throws(ProviderFailure) -> VerifiedIdentity {
        let (claims, payload) = try await checked(idToken, accessToken, nonce, client, now)
        var verified = identity(claims, payload.members, client: client)
        verified.token = IDTokenMark(idToken, claims, payload.members)
        return verified
    }

    /// From the answer to our own exchange to an identity: by its ID token, and by the provider's profile where
    /// there is no ID token or no address in it.
    ///
    /// - Parameter nonce: What ``AuthorizationRequest/nonce`` was; nil for a code that an app brought, whose own ID
    ///   token is checked beside it.
    package func identity(
        of tokens: ProviderTokens, nonce: String?, at now: Instant
    ) async throws(ProviderFailure) -> VerifiedIdentity {
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
        // Where none was sent, a nonce proves nothing either way.
        let expectation = settings.asksForIDToken ? nonce.map(NonceExpectation.sent) : nil
        let (claims, payload) = try await checked(idToken, tokens.accessToken, expectation, tokens.client, now)
        let known = identity(claims, payload.members, client: tokens.client)
        guard known.email == nil, settings.kind != .apple, tokens.accessToken != nil,
            try await metadata().userInfo != nil
        else { return known }
        let profile = try await profile(tokens)
        // OpenID Connect Core 1.0 §5.3.2.
        guard profile["sub"]?.stringValue == claims.subject else { throw .rejected(.foreignProfile) }
        // Whether an address is verified says who gave the address.
        let addresses = ["email", "email_verified", "verified_email"]
        let signed = payload.members.filter { !addresses.contains($0.key) }
        return identity(claims, signed.merging(profile) { signed, _ in signed }, client: tokens.client)
    }

    /// The provider's profile of whoever the access token belongs to (OpenID Connect Core 1.0 §5.3).
    package func profile(_ tokens: ProviderTokens) async throws(ProviderFailure) -> JSONObject {
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

    /// What the provider's keys have signed. Whose token it is not is refused before anybody is asked.
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
            case .keysUnavailable:
                throw await keys.lastFailure as? ProviderFailure ?? .unavailable(.keys, .unreadable)
            }
        }
    }

    private func mayBeOurs(_ issuer: String) -> Bool {
        if settings.issuers.contains(issuer) { return true }
        return settings.kind == .openID && ProviderMetadata.isSameIssuer(issuer, settings.issuers[0])
    }

    private func identity(
        _ claims: IDTokenClaims, _ members: JSONObject, client: String?
    ) -> VerifiedIdentity {
        let accepted = client.map { [$0] } ?? settings.clientIDs
        return VerifiedIdentity(
            ProfileClaims(members: members), subject: claims.subject,
            // Google's second spelling is the same issuer.
            issuer: settings.kind == .google ? settings.issuers[0] : claims.issuer,
            client: claims.audience.first(where: { accepted.contains($0) }) ?? accepted[0], settings: settings)
    }
}
