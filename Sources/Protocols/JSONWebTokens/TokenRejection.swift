package import GatehouseWire

/// Why a token is not accepted. Its description shows no text of the token.
package enum TokenRejection: Error, Equatable, Sendable {
    /// Not three Base64URL parts with JSON, JSON and a signature (RFC 7515 §7.1), or too long.
    case malformed(Part)
    /// An unsupported `alg`, a `typ` other than JWT, or a refused member: keys in the token itself (`jku`, `jwk`,
    /// `x5u`, `x5c`) or extensions (`crit`, `b64`).
    case unsupportedHeader(member: String)
    /// No key has this `kid`; nil for a token without one if no key accepts such tokens.
    case unknownKey(PresentedKeyID?)
    /// The key belongs to a different algorithm than the header names (RFC 8725 §3.1).
    case algorithmMismatch
    case badSignature
    /// A required claim is missing.
    case missingClaim(String)
    /// A claim has the wrong type, or is a time beyond the year 9999.
    case malformedClaim(String)
    /// At or after its `exp` (RFC 7519 §4.1.4).
    case expired(Instant)
    /// Before its `nbf` (RFC 7519 §4.1.5).
    case notYetValid(Instant)
    case wrongIssuer
    case wrongAudience
    /// The token's session has ended, or its subject was banned or deleted.
    case revoked

    /// The malformed part of a token.
    package enum Part: Sendable {
        /// The length or the number of parts.
        case whole
        case header
        case payload
        case signature
    }
}

/// The `kid` that a token names, at most 256 bytes. Its description gives the length alone: logs show causes, and this
/// text is the caller's.
package struct PresentedKeyID: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { "\(text.utf8.count) bytes" }
}
