package import GatehouseWire
package import JSONWebTokens

/// What is configured about one provider. Made by ``apple(clientIDs:credential:base:issuers:)``,
/// ``google(clientIDs:credential:issuer:)`` and ``openID(name:issuer:clientIDs:credential:endpoints:)``.
package struct ProviderSettings: Sendable {
    package enum Kind: Sendable {
        case apple
        case google
        case openID
    }

    /// Where the provider says where things are.
    package enum Endpoints: Sendable {
        /// In `.well-known/openid-configuration` below this URL, usually the issuer.
        case discovered(ProviderURL)
        case fixed(ProviderMetadata)
    }

    /// As the API calls it: `apple`, `google`, `custom:acme`.
    package let name: String
    package let kind: Kind
    /// The `iss` values that are the provider's. The first is the one that stands for it.
    package let issuers: [String]
    /// What an ID token may be made out to. The first is ours in browsers.
    package let clientIDs: [String]
    package let credential: ClientCredential
    package let endpoints: Endpoints

    /// Asked for in browsers.
    package var scopes: [String]
    /// Added to the authorization URL, such as `access_type` for Google.
    package var authorizationParameters: [String: String] = [:]
    /// How the nonce of an ID token may stand to the one that the app names. See ``NonceForm``.
    package var nonceForms: Set<NonceForm> = [.hexDigest, .raw]
    /// For apps that cannot know the nonce in their token. Never applies to browsers, where the nonce is ours.
    package var skipsNonceCheck = false
    /// Whether an account may begin without an address. Decided by whoever makes accounts; not looked at here.
    package var isEmailOptional = false
    /// Whether the provider is sent a code challenge (RFC 7636).
    package var usesPKCE = true
    /// Whether the secret stands in the form (`client_secret_post`) or in the header; nil: as the provider announces.
    package var sendsSecretInForm: Bool?
    /// How ID tokens may be signed.
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

    /// Whether people can sign in with it in a browser: ID tokens from apps need no credential.
    package var offersBrowserSignIn: Bool { credential.isPresent }

    /// Whether the provider's answers have to have an ID token.
    var asksForIDToken: Bool { kind == .apple || scopes.contains("openid") }
}

/// How the server proves to the provider that it is the client.
package enum ClientCredential: Sendable {
    /// It does not: ID tokens from apps only.
    case none
    /// A public client, which has PKCE and nothing else.
    case pkceOnly
    case secret(Secret)
    /// Apple's: a short-lived token is signed for each use.
    case appleKey(AppleSigningKey)

    var isPresent: Bool { if case .none = self { false } else { true } }

    /// When a secret that is itself a token ends, as Apple's ready-made ones do after six months at most. Nil for
    /// all others.
    package var expiresAt: Instant? {
        guard case .secret(let secret) = self else { return nil }
        guard let claims = SignedPayload.unverified(secret.reveal()) else { return nil }
        // Lost: that it has a malformed `exp`; then it does not end by its own word.
        return try? ClaimReader(members: claims).time("exp")
    }
}

/// How the `nonce` in an ID token may be made of the nonce that the app sends beside it.
///
/// With a digest in the token, who finds the token cannot use it: the raw nonce is not in there. With the raw
/// nonce in it, that protection is not there; so ``raw`` is accepted only for a text that cannot be one of the
/// digests accepted beside it, or else a found digest could be presented as a raw nonce.
package enum NonceForm: String, CaseIterable, Sendable {
    case raw
    /// SHA-256 in lower-case hexadecimal, as Supabase and Apple's samples have it.
    case hexDigest = "hex SHA-256"
    /// SHA-256 in base64url.
    case base64URLDigest = "base64url SHA-256"
}

/// What is wrong with the settings of a provider. Names what it found, but nothing secret.
package enum ProviderSettingsProblem: Error, Equatable, Sendable {
    /// Not 1 to 64 of `a–z`, `0–9`, `-`, `_` and `:`, or a name that the API uses otherwise.
    case name(String)
    case missingClientID
    /// Not an http or https URL that we would call.
    case url(String)
    case addressRefused(OutgoingAddressRule.Refusal)
    /// Not the PKCS#8 text of a P-256 key.
    case privateKey
    /// Apple's team and key ids are ten capital letters and digits.
    case teamID(String)
    case keyID(String)
}

/// All that is wrong, so that one restart mends it.
package struct ProviderSettingsProblems: Error, Equatable, Sendable {
    package let problems: [ProviderSettingsProblem]

    package init(_ problems: [ProviderSettingsProblem]) { self.problems = problems }
}
