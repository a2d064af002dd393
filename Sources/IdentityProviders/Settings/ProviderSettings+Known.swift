import GatehouseWire

extension ProviderSettings {
    /// Both names that Apple signs with: for some days in June 2025 tokens and discovery documents had the second.
    package static let appleIssuers = ["https://appleid.apple.com", "https://account.apple.com"]
    package static let googleIssuer = "https://accounts.google.com"

    /// Sign in with Apple. Its endpoints are documented and fixed: Apple's discovery document has named others for
    /// a while, and then the native sign-in sheet no longer opened.
    ///
    /// - Parameters:
    ///   - clientIDs: The Services ID first, if people sign in with browsers, then bundle ids.
    ///   - base: Another place for a stand-in.
    ///   - issuers: What a stand-in signs with; Apple's own when empty.
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
        // A raw nonce is never in Apple's tokens when the app does what Apple's samples do.
        settings.nonceForms = [.hexDigest, .base64URLDigest]
        // Apple documents no code challenge; the nonce ties the ID token to the browser.
        settings.usesPKCE = false
        return settings
    }

    /// - Parameters:
    ///   - clientIDs: The web client first, then those of the apps.
    ///   - issuer: Another one for a stand-in.
    package static func google(
        clientIDs: [String], credential: ClientCredential, issuer: String = googleIssuer
    ) throws(ProviderSettingsProblems) -> ProviderSettings {
        var found = Findings(clientIDs: clientIDs)
        let base = found.url(issuer)
        guard let base, found.problems.isEmpty else { throw found.asError }
        // Google's tokens have been made with and without the scheme.
        let bare = issuer.replacing("https://", with: "").replacing("http://", with: "")
        return ProviderSettings(
            name: "google", kind: .google, issuers: [issuer, bare], clientIDs: found.clientIDs,
            credential: credential, endpoints: .discovered(base), scopes: ["openid", "email", "profile"])
    }

    /// Any provider that keeps to OpenID Connect.
    ///
    /// - Parameters:
    ///   - name: As the API is to call it.
    ///   - discoveryBase: Where the discovery document is, when it is not below the issuer.
    ///   - endpoints: For a provider without discovery document.
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

/// Collects what is wrong.
private struct Findings {
    var problems: [ProviderSettingsProblem] = []
    let clientIDs: [String]

    /// Identities of these names are not made by providers.
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
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
