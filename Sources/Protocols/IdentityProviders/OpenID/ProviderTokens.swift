package import GatehouseWire

package struct ProviderTokens: Sendable {
    package let idToken: Secret?
    package let accessToken: Secret?
    package let refreshToken: Secret?
    /// Needed to revoke them.
    package let client: String

    init(_ answer: AuthJSONObject, client: String) throws(ProviderFailure) {
        func token(_ name: String) throws(ProviderFailure) -> Secret? {
            guard let member = answer[name], !member.isNull else { return nil }
            guard let text = member.stringValue else { throw .unavailable(.tokens, .malformed(name)) }
            return text.isEmpty ? nil : Secret(text)
        }
        idToken = try token("id_token")
        accessToken = try token("access_token")
        refreshToken = try token("refresh_token")
        self.client = client
        // Without either, the response identifies no one.
        guard idToken != nil || accessToken != nil else { throw .unavailable(.tokens, .missing("access_token")) }
    }
}

package enum RevocationOutcome: Sendable {
    case revoked
    /// Unknown to the provider, or no longer valid.
    case wasInvalid
}

extension OpenIDProvider {
    /// RFC 6749 §4.1.3.
    ///
    /// - Parameters:
    ///   - verifier: Not sent to providers without PKCE.
    ///   - redirectURL: As in the authorization request; nil for a code from Apple's sheet in an app.
    ///   - client: The code's client id: for an app's code, its bundle id. nil uses the first.
    /// - Throws: ``ProviderFailure/refused(_:error:description:)`` for a used or expired code, or wrong credentials;
    ///   ``ProviderFailure/notOffered(_:)`` if `client` is not ours or the endpoint is missing;
    ///   ``ProviderFailure/unavailable(_:_:)``.
    package func exchange(
        code: Secret, verifier: Secret?, redirectURL: String?, client: String? = nil, at now: Instant
    ) async throws(ProviderFailure) -> ProviderTokens {
        let client = client ?? settings.clientIDs[0]
        guard settings.offersBrowserSignIn, settings.clientIDs.contains(client) else { throw .notOffered(.tokens) }
        let metadata = try await metadata()
        guard let endpoint = metadata.token else { throw .notOffered(.tokens) }
        var form = [(name: "grant_type", value: Secret("authorization_code")), ("code", code)]
        if let redirectURL { form.append(("redirect_uri", Secret(redirectURL))) }
        if let verifier, settings.usesPKCE { form.append(("code_verifier", verifier)) }
        let request = try authenticated(endpoint, form, as: client, metadata, for: .tokens, at: now)
        return try ProviderTokens(try await caller.object(request, for: .tokens), client: client)
    }

    /// RFC 7009, for deleted accounts.
    ///
    /// - Parameter hint: `refresh_token` or `access_token`.
    /// - Throws: As ``exchange(code:verifier:redirectURL:client:at:)``.
    package func revoke(
        _ token: Secret, hint: String = "refresh_token", client: String, at now: Instant
    ) async throws(ProviderFailure) -> RevocationOutcome {
        guard settings.offersBrowserSignIn, settings.clientIDs.contains(client) else { throw .notOffered(.revocation) }
        let metadata = try await metadata()
        guard let endpoint = metadata.revocation else { throw .notOffered(.revocation) }
        let form = [(name: "token", value: token), ("token_type_hint", Secret(hint))]
        let request = try authenticated(endpoint, form, as: client, metadata, for: .revocation, at: now)
        let response = try await caller.send(request, for: .revocation)
        // Ignored: a successful response is usually empty.
        let members = (try? JSONReader.read(response.body))?.objectValue
        do throws(ProviderFailure) {
            try ProviderCaller.checkRefusal(response.status, members, for: .revocation)
            return .revoked
        } catch .refused(_, error: "invalid_token", _), .refused(_, error: "invalid_grant", _) {
            return .wasInvalid
        } catch {
            throw error
        }
    }

    private func authenticated(
        _ endpoint: ProviderURL, _ form: [(name: String, value: Secret)], as client: String,
        _ metadata: ProviderMetadata, for step: ProviderStep, at now: Instant
    ) throws(ProviderFailure) -> ProviderRequest {
        var (form, authorization) = (form, Secret?.none)
        switch settings.credential {
        case .none: throw .notOffered(step)
        case .pkceOnly: form.append(("client_id", Secret(client)))
        case .secret(let secret) where settings.sendsSecretInForm ?? metadata.takesSecretInForm:
            form += [("client_id", Secret(client)), ("client_secret", secret)]
        case .secret(let secret): authorization = FormText.basic(client: client, secret: secret)
        case .appleKey:
            guard let appleSecrets else { throw .notOffered(step) }
            do {
                let secret = try appleSecrets.secret(for: client, at: now)
                form += [("client_id", Secret(client)), ("client_secret", secret)]
            } catch {
                // Drops the crypto library's error, which might contain parts of the key.
                throw .unavailable(step, .cannotSign)
            }
        }
        return .post(endpoint, form: form, authorization: authorization, maximumBytes: ProviderLimits.answer)
    }
}
