import GatehouseWire

/// The supported `alg` values (RFC 7518 §3.1, RFC 8037 §3.1). Excludes `none`.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// Ed25519.
    case edDSA = "EdDSA"

    /// Whether the verifying key can also sign.
    package var isSymmetric: Bool { self == .hs256 }

    /// The `kty` of the algorithm's keys (RFC 7518 §6.1, RFC 8037 §2).
    var keyType: String {
        switch self {
        case .hs256: "oct"
        case .rs256, .rs512: "RSA"
        case .es256, .es512: "EC"
        case .edDSA: "OKP"
        }
    }

    /// The `crv` of the algorithm's keys.
    var curve: String? {
        switch self {
        case .hs256, .rs256, .rs512: nil
        case .es256: "P-256"
        case .es512: "P-521"
        case .edDSA: "Ed25519"
        }
    }
}
