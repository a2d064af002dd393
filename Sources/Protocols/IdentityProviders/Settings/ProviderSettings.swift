package import GatehouseWire
package import JSONWebTokens

package struct ProviderSettings: Sendable {
    /// Selects the rules for claims.
    package enum Kind: Sendable {
        case apple
        case google
        case openID
    }

    package enum Endpoints: Sendable {
        /// `.well-known/openid-configuration` below this URL, usually the issuer.
        case discovered(ProviderURL)
        case fixed(ProviderMetadata)
    }

    /// In the API: `apple`, `google`, `custom:acme`.
    package let name: String
    package let kind: Kind
    /// The accepted `iss` values, the provider's main one first.
    package let issuers: [String]
    /// The accepted audiences, our client id for browsers first.
    package let clientIDs: [String]
    package let credential: ClientCredential
    package let endpoints: Endpoints

    /// Requested in browsers.
    package var scopes: [String]
    /// Such as `access_type` for Google.
    package var authorizationParameters: [String: String] = [:]
    package var nonceForms: Set<NonceForm> = [.hexDigest, .raw]
    /// For apps that cannot know their token's nonce. In browsers it is always checked.
    package var skipsNonceCheck = false
    /// Evaluated by the code that creates accounts.
    package var isEmailOptional = false
    /// RFC 7636.
    package var usesPKCE = true
    /// Form (`client_secret_post`) instead of header; nil follows the provider's metadata.
    package var sendsSecretInForm: Bool?
    /// The description of a provider without OpenID Connect.
    package internal(set) var oauth: OAuthDescription?
    /// The claim that vouches for the address, if it is not `email_verified`.
    var vouchingClaim: String?
    /// Claims of the provider's access tokens, which have the form of its ID tokens.
    var refusedClaims: [String] = []
    /// The accepted signature algorithms of ID tokens.
    package var algorithms: Set<SigningAlgorithm> = Set<SigningAlgorithm>(
        SigningAlgorithm.allCases.filter { !$0.isSymmetric })

    init(
        name: String, kind: Kind, issuers: [String], clientIDs: [String], credential: ClientCredential,
        endpoints: Endpoints, scopes: [String]
    ) {
        self.name = name
        self.kind = kind
        self.issuers = issuers
        self.clientIDs = clientIDs
        self.credential = credential
        self.endpoints = endpoints
        self.scopes = scopes
    }

    package var offersBrowserSignIn: Bool { credential.isPresent }

    package var isOnThisMachine: Bool {
        switch endpoints {
        case .discovered(let base): base.isLoopback
        case .fixed(let metadata): (metadata.keys ?? metadata.token)?.isLoopback ?? false
        }
    }

    /// Whether the provider's answers must contain an ID token.
    var asksForIDToken: Bool { oauth == nil && (kind == .apple || scopes.contains("openid")) }

    /// Whether neither browsers nor apps can use the provider.
    package var isUseless: Bool { !offersBrowserSignIn && !acceptsIDTokens }

    /// Whether apps may present ID tokens of the provider.
    package var acceptsIDTokens: Bool { oauth.map { $0.idToken != nil } ?? true }
}

package enum ClientCredential: Sendable {
    /// Only ID tokens from apps are accepted.
    case none
    case pkceOnly
    case secret(Secret)
    /// Signs a short-lived client secret for each use.
    case appleKey(AppleSigningKey)

    var isPresent: Bool { if case .none = self { false } else { true } }

    /// For a secret that is itself a token, such as Apple's prepared ones, which last at most six months; otherwise
    /// nil.
    package var expiresAt: Instant? {
        guard case .secret(let secret) = self else { return nil }
        guard let claims = SignedPayload.unverified(secret.reveal()) else { return nil }
        // Ignored: a malformed `exp` is treated as no expiry.
        return try? ClaimReader(members: claims).time("exp")
    }
}

/// How an ID token's `nonce` may derive from the app's nonce.
///
/// A stolen token with a digest is useless, because it does not reveal the raw nonce. ``raw`` is accepted only for a
/// text that cannot be a digest; otherwise a stolen digest could be presented as a raw nonce.
package enum NonceForm: String, CaseIterable, Sendable {
    case raw
    /// Lower case, as in Supabase's and Apple's samples.
    case hexDigest = "hex SHA-256"
    case base64URLDigest = "base64url SHA-256"
}

/// Quotes the setting, but nothing secret.
package enum ProviderSettingsProblem: Error, Equatable, Sendable {
    /// Not 1 to 64 of `a–z`, `0–9`, `-`, `_` and `:`, or reserved.
    case name(String)
    case missingClientID
    /// Not an http or https URL that we can call.
    case url(String)
    /// Not the URL of a tenant at Microsoft.
    case tenant(String)
    case addressRefused(OutgoingAddressRule.Refusal)
    case privateKey
    /// Not ten capital letters and digits, as for the key id.
    case teamID(String)
    case keyID(String)
}

package struct ProviderSettingsProblems: Error, Equatable, Sendable {
    package let problems: [ProviderSettingsProblem]

    package init(_ problems: [ProviderSettingsProblem]) { self.problems = problems }
}
