import Crypto
package import GatehouseWire

/// PKCE verifier (RFC 7636 §4.1) and nonce of one browser sign-in. The caller stores the state.
package struct AuthorizationSecrets: Sendable {
    /// 43 characters.
    package let verifier: Secret
    /// 43 characters. Not secret.
    package let nonce: String
    package let codeChallenge: String

    /// - Parameter randomBytes: A cryptographically secure source.
    package init(randomBytes: (Int) -> [UInt8]) {
        let text = Base64URL.text(randomBytes(32))
        verifier = Secret(text)
        nonce = Base64URL.text(randomBytes(32))
        codeChallenge = Base64URL.text(Array(SHA256.hash(data: Array(text.utf8))))
    }
}

package struct AuthorizationRequest: Sendable {
    /// Unguessable and single-use. The caller binds it to browser and provider.
    package var state: String
    package var nonce: String
    package var codeChallenge: String
    package var redirectURL: String
    /// In addition to the provider's defaults.
    package var scopes: [String]
    /// For the provider, such as `login_hint`. The first of duplicates wins.
    package var extra: [(name: String, value: String)]

    package init(
        state: String, secrets: AuthorizationSecrets, redirectURL: String, scopes: [String] = [],
        extra: [(name: String, value: String)] = []
    ) {
        self.state = state
        nonce = secrets.nonce
        codeChallenge = secrets.codeChallenge
        self.redirectURL = redirectURL
        self.scopes = scopes
        self.extra = extra
    }
}

extension AuthorizationRequest {
    /// Lower case. They would override ours or are reserved.
    private static let reserved: Set<ExternalName> = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type", "redirect_uri", "response_type",
        "response_mode", "state", "nonce", "scope", "code_challenge", "code_challenge_method", "code_verifier",
        "request", "request_uri", "registration", "provider", "scopes", "invite_token", "redirect_to",
        "skip_http_redirect", "apikey", "authorization", "access_token", "refresh_token", "id_token", "provider_token",
        "provider_refresh_token", "jwt", "token", "token_hash", "password", "code", "grant_type", "link_ticket",
        "link_identity",
    ]

    /// At most 16 parameters, the first by name, with at most 1,024 bytes each.
    static func passable(_ extra: [(name: String, value: String)]) -> [ExternalName: String] {
        var first: [ExternalName: String] = [:]
        for (name, value) in extra where (1...64).contains(name.utf8.count) {
            let name = ExternalName(trusted: name)
            if first[name] == nil { first[name] = value }
        }
        let allowed = first.filter { name, value in
            !reserved.contains(ExternalName(trusted: name.text.lowercased())) && value.utf8.count <= 1_024
        }
        return Dictionary(uniqueKeysWithValues: allowed.sorted { $0.key < $1.key }.prefix(16).map { ($0, $1) })
    }

    /// Scopes (RFC 6749 §3.3) without duplicates, at most 32.
    static func words(_ usual: [String], _ wishes: [String]) -> [String] {
        var seen: Set<ExternalName> = []
        let words = wishes.flatMap { wish in
            wish.utf8.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }.map { String(Substring($0)) }
        }
        let valid = words.filter { word in
            (1...256).contains(word.utf8.count)
                && word.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        }
        return (usual + valid).filter { seen.insert(ExternalName(trusted: $0)).inserted }.prefix(32).map(\.self)
    }
}

extension OpenIDProvider {
    /// Apple gets only the parameters it needs, and responds with a form POST if name or address is requested.
    ///
    /// - Throws: ``ProviderFailure/notOffered(_:)`` without credentials or an authorization endpoint, and the errors of
    ///   ``metadata()``.
    package func authorizationURL(_ request: AuthorizationRequest) async throws(ProviderFailure) -> String {
        guard settings.offersBrowserSignIn else { throw .notOffered(.authorization) }
        guard let endpoint = try await metadata().authorization else { throw .notOffered(.authorization) }
        let isApple = settings.kind == .apple
        var parameters = isApple ? [:] : AuthorizationRequest.passable(request.extra)
        for (name, value) in settings.authorizationParameters { parameters[ExternalName(trusted: name)] = value }
        parameters["client_id"] = settings.clientIDs[0]
        parameters["redirect_uri"] = request.redirectURL
        parameters["response_type"] = "code"
        parameters["state"] = request.state
        parameters["scope"] =
            AuthorizationRequest.words(settings.scopes, isApple ? [] : request.scopes)
            .joined(separator: settings.oauth?.scopeSeparator ?? " ")
        if isApple { parameters["response_mode"] = "form_post" }
        if settings.asksForIDToken { parameters["nonce"] = request.nonce }
        if settings.usesPKCE {
            parameters["code_challenge"] = request.codeChallenge
            parameters["code_challenge_method"] = "S256"
        }
        let separator = endpoint.text.contains(ascii: "?") ? "&" : "?"
        return endpoint.text + separator + FormText.query(parameters)
    }

    /// Checks `iss` against mix-up attacks (RFC 9207 §2.4).
    ///
    /// - Throws: ``ProviderFailure/rejected(_:)`` for another issuer, or for none if the provider announces one; and
    ///   the errors of ``metadata()``.
    package func checkCallback(issuer: String?) async throws(ProviderFailure) {
        // Without OpenID Connect the issuer's name is unknown; a redirect URI for each provider prevents mix-ups.
        guard settings.oauth == nil else { return }
        let metadata = try await metadata()
        guard let issuer else {
            if metadata.namesItselfInCallbacks { throw .rejected(.foreignIssuer) }
            return
        }
        guard issuer == metadata.issuer || settings.issuers.contains(issuer) else { throw .rejected(.foreignIssuer) }
    }
}
