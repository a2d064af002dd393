package import GatehouseWire
package import JSONWebTokens

package enum IdentityRejection: Error, Equatable, Sendable {
    /// Not a token, or longer than ``ProviderLimits/idToken``.
    case unreadable
    case foreignIssuer
    case notAccepted(TokenRejection)
    /// Not announced, or excluded by the settings.
    case algorithm(SigningAlgorithm)
    /// ID tokens have no leeway.
    case expired(Instant)
    /// `iat` or `nbf` is more than a minute in the future.
    case notYetValid(claim: String)
    /// So old that its id may no longer be stored.
    case tooOld(Instant)
    case accessTokenMismatch
    case missingSubject
    /// `accepted` has our client ids: not for users.
    case wrongAudience(found: [String], accepted: [String])
    /// In a token for several audiences or for a browser.
    case wrongAuthorizedParty
    /// Only one of token and request has a nonce.
    case nonceOnOneSide
    case nonceMismatch(seen: NonceForm)
    case missingIDToken
    case foreignProfile
}

extension IdentityRejection {
    /// For the id_token grant. With a space, as in Supabase Auth.
    package var error: String { if case .nonceMismatch = self { "invalid nonce" } else { "invalid request" } }

    /// `error_description`. Quotes only the token's audience.
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
