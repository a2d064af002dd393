import GatehouseWire

extension ProviderSettings {
    /// For some days in June 2025, tokens and discovery documents had the second one.
    package static let appleIssuers = ["https://appleid.apple.com", "https://account.apple.com"]
    package static let googleIssuer = "https://accounts.google.com"

    /// Apple's documented endpoints are fixed here: its discovery document once named others, which broke the native
    /// sheet.
    ///
    /// - Parameters:
    ///   - clientIDs: The Services ID for browsers first, then bundle ids.
    ///   - base: A simulated Apple's base URL.
    ///   - issuers: A simulated Apple's; empty uses Apple's own.
    /// - Throws: ``ProviderSettingsProblems`` without a client id, or for an invalid `base`.
    package static func apple(
        clientIDs: [String], credential: ClientCredential, base: String = "https://appleid.apple.com",
        issuers: [String] = []
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        var found = Findings(clientIDs: clientIDs)
        let issuers = issuers.isEmpty ? appleIssuers : issuers
        let url = found.url(base)
        let endpoint = { (path: String) in url?.appending(path: path) }
        guard let keys = endpoint("/auth/keys"), found.problems.isEmpty else { throw found.asError }
        let metadata = ProviderMetadata(
            issuer: issuers[0], keys: keys, authorization: endpoint("/auth/authorize"),
            token: endpoint("/auth/token"), revocation: endpoint("/auth/revoke"),
            tokenAuthentication: ["client_secret_post"])
        var settings = ProviderSettings(
            name: "apple", kind: .apple, issuers: issuers, clientIDs: found.clientIDs,
            credential: credential, endpoints: .fixed(metadata), scopes: ["email", "name"])
        // Apple's sample code sends a digest, so its tokens never contain a raw nonce.
        settings.nonceForms = [.hexDigest, .base64URLDigest]
        // Apple does not document PKCE. The nonce binds the ID token to the browser.
        settings.usesPKCE = false
        return settings
    }

    /// Sign in with Google.
    ///
    /// - Parameters:
    ///   - clientIDs: The web client first, then the apps'.
    ///   - issuer: A simulated Google's issuer.
    /// - Throws: ``ProviderSettingsProblems`` without a client id, or for an issuer that is not a URL.
    package static func google(
        clientIDs: [String], credential: ClientCredential, issuer: String = googleIssuer
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        var found = Findings(clientIDs: clientIDs)
        let base = found.url(issuer)
        guard let base, found.problems.isEmpty else { throw found.asError }
        // Google's tokens have had issuers with and without the scheme.
        let bare = issuer.replacing("https://", with: "").replacing("http://", with: "")
        return ProviderSettings(
            name: "google", kind: .google, issuers: [issuer, bare], clientIDs: found.clientIDs,
            credential: credential, endpoints: .discovered(base), scopes: ["openid", "email", "profile"])
    }

    /// Any OpenID Connect provider.
    ///
    /// - Parameters:
    ///   - name: The provider's name in the API.
    ///   - discoveryBase: The discovery document's base URL, if not the issuer.
    ///   - endpoints: For a provider without a discovery document.
    /// - Throws: ``ProviderSettingsProblems`` with every problem: the name, no client id, the base URL.
    package static func openID(
        name: String, issuer: String, clientIDs: [String], credential: ClientCredential, discoveryBase: String? = nil,
        endpoints: ProviderMetadata? = nil
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        var found = Findings(clientIDs: clientIDs)
        if !Findings.isName(name) { found.problems.append(.name(name)) }
        let base = found.url(discoveryBase ?? issuer)
        guard let base, found.problems.isEmpty else { throw found.asError }
        return ProviderSettings(
            name: name, kind: .openID, issuers: [issuer], clientIDs: found.clientIDs, credential: credential,
            endpoints: endpoints.map(Endpoints.fixed) ?? .discovered(base), scopes: ["openid", "profile", "email"])
    }
}

extension ProviderSettings {
    /// Settings of a provider without OpenID Connect.
    ///
    /// - Throws: ``ProviderSettingsProblems`` with every problem: the name, no client id.
    package static func oauth(
        name: String, _ description: OAuthDescription, clientIDs: [String], credential: ClientCredential
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        var found = Findings(clientIDs: clientIDs)
        if !Findings.isName(name) { found.problems.append(.name(name)) }
        guard found.problems.isEmpty else { throw found.asError }
        // The issuer in `identity_data`.
        let issuer = description.idToken?.issuer ?? description.profile.origin
        let endpoints = ProviderMetadata(
            issuer: issuer, keys: description.idToken?.keys, authorization: description.authorization,
            token: description.token, userInfo: description.profile)
        var settings = ProviderSettings(
            name: name, kind: .openID, issuers: [issuer], clientIDs: found.clientIDs, credential: credential,
            endpoints: .fixed(endpoints), scopes: description.scopes)
        settings.oauth = description
        settings.authorizationParameters = description.authorizationParameters
        settings.usesPKCE = description.usesPKCE
        settings.sendsSecretInForm = description.sendsSecretInForm
        settings.isEmailOptional = description.isEmailOptional
        return settings
    }
}

/// Collects problems.
private struct Findings {
    var problems: [ProviderSettingsProblem] = []
    let clientIDs: [String]

    /// Identities that do not come from providers.
    private static let taken = ["email", "phone", "anonymous", "web3", "sso"]

    init(clientIDs: [String]) {
        self.clientIDs = clientIDs.filter { !$0.isEmpty }
        if self.clientIDs.isEmpty { problems.append(.missingClientID) }
    }

    var asError: ProviderSettingsProblems { ProviderSettingsProblems(problems) }

    mutating func url(_ text: String) -> ProviderURL? {
        guard let url = ProviderURL(text) else {
            problems.append(.url(text))
            return nil
        }
        return url
    }

    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !taken.contains(name) && !name.hasPrefix("sso:")
            && name.utf8.allSatisfy { $0.isLowerAlphanumeric || "-_:".utf8.contains($0) }
    }
}
