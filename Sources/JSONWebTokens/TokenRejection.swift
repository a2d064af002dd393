package import GatehouseWire

/// Why a token is not accepted. Holds no text of the token but the `kid` it named, at most 256 bytes.
package enum TokenRejection: Error, Equatable, Sendable {
    /// Not three base64url parts of JSON, JSON and bytes (RFC 7515 §7.1), or too long.
    case malformed(Part)
    /// `alg` is not one of ours, `typ` is something else than a JWT, or the named member asks for what we refuse:
    /// keys from the token itself (`jku`, `jwk`, `x5u`, `x5c`) and extensions (`crit`, `b64`).
    case unsupportedHeader(member: String)
    /// No key has this `kid`; nil when the token names none and no key stands in.
    case unknownKey(String?)
    /// The key is there and belongs to another algorithm than the header claims (RFC 8725 §3.1).
    case algorithmMismatch
    case badSignature
    /// The named claim has to be there.
    case missingClaim(String)
    /// The named claim has the wrong type, or is a time beyond the year 9999.
    case malformedClaim(String)
    /// At or after its `exp` (RFC 7519 §4.1.4).
    case expired(Instant)
    /// Before its `nbf` (RFC 7519 §4.1.5).
    case notYetValid(Instant)
    case wrongIssuer
    case wrongAudience
    /// Its session has ended, or its subject was banned or deleted.
    case revoked

    package enum Part: Sendable {
        /// The length, or the number of parts.
        case whole
        case header
        case payload
        case signature
    }
}
