package import GatehouseWire
package import JSONWebTokens

/// Why a provider's statement about a user failed verification.
package enum IdentityRejection: Error, Equatable, Sendable {
    /// Not a token, or longer than ``ProviderLimits/idToken``.
    case unreadable
    /// `iss` does not belong to this provider.
    case foreignIssuer
    /// An invalid signature, an unknown key, or a missing or malformed claim.
    case notAccepted(TokenRejection)
    /// An algorithm that the provider does not announce or that the settings exclude.
    case algorithm(SigningAlgorithm)
    /// At or after `exp`. ID tokens have no leeway.
    case expired(Instant)
    /// `iat` or `nbf` is more than a minute in the future.
    case notYetValid(claim: String)
    /// The notification is so old that its id may no longer be stored.
    case tooOld(Instant)
    /// The access token does not match `at_hash`.
    case accessTokenMismatch
    /// `sub` is missing or empty.
    case missingSubject
    /// `accepted` contains the configured client ids, for logs and developers. Do not show it to users.
    case wrongAudience(found: [String], accepted: [String])
    /// `azp` is not ours, in a token for several audiences or for a browser.
    case wrongAuthorizedParty
    /// Only one of token and request has a nonce.
    case nonceOnOneSide
    /// `seen` is the form of the token's nonce.
    case nonceMismatch(seen: NonceForm)
    /// The provider was asked for an ID token but sent none.
    case missingIDToken
    /// The profile belongs to a different user than the ID token.
    case foreignProfile
}

extension IdentityRejection {
    /// The `error` of the OAuth error response for the id_token grant. Contains a space, as in Supabase Auth.
    package var error: String { if case .nonceMismatch = self { "invalid nonce" } else { "invalid request" } }

    /// The `error_description`. Quotes only the token's audience.
    package var summary: String {
        switch self {
        case .missingSubject: "Missing sub claim in id_token"
        case .wrongAudience(let found, _):
            "Unacceptable audience in id_token: [\(DisplayText.cut(found.joined(separator: " "), to: 200))]"
        case .nonceOnOneSide: "The request and the id_token must either both have a nonce or both have none"
        case .nonceMismatch(let seen): "Nonces mismatch: the id_token has what looks like a \(seen.rawValue) nonce"
        case .unreadable, .foreignIssuer, .notAccepted, .algorithm, .expired, .notYetValid, .tooOld,
            .accessTokenMismatch, .wrongAuthorizedParty, .missingIDToken, .foreignProfile:
            "Bad ID token"
        }
    }
}
