package import GatehouseWire
package import JSONWebTokens

/// Why what a provider, or somebody in its name, says is not believed.
package enum IdentityRejection: Error, Equatable, Sendable {
    /// Not a token, or longer than ``ProviderLimits/idToken``.
    case unreadable
    /// `iss` is not one of this provider's.
    case foreignIssuer
    /// The signature, the key, or a claim of the wrong type or missing.
    case notAccepted(TokenRejection)
    /// Signed in a way that the provider does not announce, or that we are not to accept.
    case algorithm(SigningAlgorithm)
    /// At or after its `exp`: for ID tokens there is no leeway.
    case expired(Instant)
    /// The named time, `iat` or `nbf`, is more than a minute ahead.
    case notYetValid(claim: String)
    /// A notification so old that whoever remembers its id may have forgotten it.
    case tooOld(Instant)
    /// The access token beside it does not have its `at_hash`.
    case accessTokenMismatch
    /// `sub` is missing or empty.
    case missingSubject
    /// `accepted` is what is configured, for the log and for developers; not for everybody.
    case wrongAudience(found: [String], accepted: [String])
    /// `azp` is somebody else, in a token for several or for a browser.
    case wrongAuthorizedParty
    /// Either the token has a nonce or the request, and the other has not.
    case nonceOnOneSide
    /// `seen` is the form of what the token has.
    case nonceMismatch(seen: NonceForm)
    /// The provider was asked for an ID token and sent none.
    case missingIDToken
    /// The profile is about somebody else than the ID token.
    case foreignProfile
}

extension IdentityRejection {
    /// The `error` of the id_token grant's OAuth-style refusal. The blank is part of the contract.
    package var error: String { if case .nonceMismatch = self { "invalid nonce" } else { "invalid request" } }

    /// The `error_description` beside it. Repeats nothing of the token but its audience.
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
