package import GatehouseWire

/// Why a token is not accepted. Its description shows no text of the token.
package enum TokenRejection: Error, Equatable, Sendable {
    /// Not three base64url parts of JSON, JSON and bytes (RFC 7515 §7.1), or too long.
    case malformed(Part)
    /// `alg` is not one of ours, `typ` is something else than a JWT, or the named member asks for what we refuse:
    /// keys from the token itself (`jku`, `jwk`, `x5u`, `x5c`) and extensions (`crit`, `b64`).
    case unsupportedHeader(member: String)
    /// No key has this `kid`; nil when the token names none and no key stands in.
    case unknownKey(PresentedKeyID?)
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

/// The `kid` that a token names, at most 256 bytes. Its description gives the length alone: logs show causes, and this
/// text is the caller's.
package struct PresentedKeyID: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { "\(text.utf8.count) bytes" }
}
