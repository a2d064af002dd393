package import GatehouseWire

/// Does not print the token.
package enum TokenRejection: Error, Equatable, Sendable {
    /// Not three Base64URL parts with JSON, JSON and a signature (RFC 7515 §7.1), or too long.
    case malformed(Part)
    /// An unsupported `alg`, a `typ` other than JWT, or a refused member: keys in the token (`jku`, `jwk`, `x5u`,
    /// `x5c`) or extensions (`crit`, `b64`).
    case unsupportedHeader(member: String)
    /// nil if no key accepts tokens without `kid`.
    case unknownKey(PresentedKeyID?)
    /// The header names another algorithm than the key's (RFC 8725 §3.1).
    case algorithmMismatch
    case badSignature
    case missingClaim(String)
    /// The wrong type, or a time beyond the year 9999.
    case malformedClaim(String)
    /// RFC 7519 §4.1.4.
    case expired(Instant)
    /// RFC 7519 §4.1.5.
    case notYetValid(Instant)
    case wrongIssuer
    case wrongAudience
    /// The session ended, or the subject was banned or deleted.
    case revoked

    package enum Part: Sendable {
        case whole
        case header
        case payload
        case signature
    }
}

/// At most 256 bytes. Logs show causes, and the caller chose this text, so its description is the length alone.
package struct PresentedKeyID: Equatable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.init(text) }

    package var description: String { "\(text.utf8.count) bytes" }
}
