package import GatehouseWire
package import JSONWebTokens

/// The settings of one provider, created by ``apple(clientIDs:credential:base:issuers:)``,
/// ``google(clientIDs:credential:issuer:)`` or ``openID(name:issuer:clientIDs:credential:discoveryBase:endpoints:)``.
package struct ProviderSettings: Sendable {
    /// Selects the rules for a provider's claims.
    package enum Kind: Sendable {
        case apple
        case google
        case openID
    }

    /// The source of the provider's endpoints.
    package enum Endpoints: Sendable {
        /// The `.well-known/openid-configuration` below this URL, usually the issuer.
        case discovered(ProviderURL)
        case fixed(ProviderMetadata)
    }

    /// The provider's name in the API: `apple`, `google`, `custom:acme`.
    package let name: String
    package let kind: Kind
    /// The accepted `iss` values. The first represents the provider.
    package let issuers: [String]
    /// The accepted audiences of ID tokens. The first is our client id for browsers.
    package let clientIDs: [String]
    package let credential: ClientCredential
    package let endpoints: Endpoints

    /// The scopes to request in browsers.
    package var scopes: [String]
    /// Additional parameters of the authorization URL, such as `access_type` for Google.
    package var authorizationParameters: [String: String] = [:]
    /// The accepted relations between the nonce of an ID token and the app's nonce; see ``NonceForm``.
    package var nonceForms: Set<NonceForm> = [.hexDigest, .raw]
    /// For apps that cannot know the nonce in their token. Does not apply to browsers, where the nonce is ours.
    package var skipsNonceCheck = false
    /// Whether an account may be created without an address. Evaluated by the code that creates accounts.
    package var isEmailOptional = false
    /// Whether to use PKCE with the provider (RFC 7636).
    package var usesPKCE = true
    /// Whether to send the secret in the form (`client_secret_post`) rather than the header; nil follows the provider's
    /// metadata.
    package var sendsSecretInForm: Bool?
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

    /// Whether the provider supports sign-in in browsers. ID tokens from apps need no credential.
    package var offersBrowserSignIn: Bool { credential.isPresent }

    package var isOnThisMachine: Bool {
        switch endpoints {
        case .discovered(let base): base.isLoopback
        case .fixed(let metadata): metadata.keys.isLoopback
        }
    }

    /// Whether the provider's answers must contain an ID token.
    var asksForIDToken: Bool { kind == .apple || scopes.contains("openid") }
}

/// How the server authenticates to the provider.
package enum ClientCredential: Sendable {
    /// Not at all: only ID tokens from apps are accepted.
    case none
    /// A public client, protected by PKCE only.
    case pkceOnly
    case secret(Secret)
    /// Apple's key, which signs a short-lived client secret for each use.
    case appleKey(AppleSigningKey)

    var isPresent: Bool { if case .none = self { false } else { true } }

    /// When a secret that is itself a token expires, such as Apple's prepared ones, which last at most six months. nil
    /// for all others.
    package var expiresAt: Instant? {
        guard case .secret(let secret) = self else { return nil }
        guard let claims = SignedPayload.unverified(secret.reveal()) else { return nil }
        // Ignored: a secret with a malformed `exp` is treated as one without expiry.
        return try? ClaimReader(members: claims).time("exp")
    }
}

/// How the `nonce` in an ID token may derive from the nonce that the app sends.
///
/// With a digest in the token, a stolen token is useless, because it does not reveal the raw nonce. With the raw nonce
/// in the token, that protection is missing. Therefore ``raw`` is accepted only for a text that cannot be an accepted
/// digest; otherwise a stolen digest could be presented as a raw nonce.
package enum NonceForm: String, CaseIterable, Sendable {
    case raw
    /// SHA-256 in lower-case hexadecimal, as in Supabase's and Apple's samples.
    case hexDigest = "hex SHA-256"
    /// SHA-256 in base64url.
    case base64URLDigest = "base64url SHA-256"
}

/// A problem in the settings of a provider. Contains what was found, but nothing secret.
package enum ProviderSettingsProblem: Error, Equatable, Sendable {
    /// Not 1 to 64 of `a–z`, `0–9`, `-`, `_` and `:`, or a reserved name.
    case name(String)
    case missingClientID
    /// Not an http or https URL that we can call.
    case url(String)
    case addressRefused(OutgoingAddressRule.Refusal)
    /// Not a P-256 key in PKCS#8 format.
    case privateKey
    /// Apple's team and key ids consist of ten capital letters and digits.
    case teamID(String)
    case keyID(String)
}

/// All problems of a provider's settings.
package struct ProviderSettingsProblems: Error, Equatable, Sendable {
    package let problems: [ProviderSettingsProblem]

    package init(_ problems: [ProviderSettingsProblem]) { self.problems = problems }
}
