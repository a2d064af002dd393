import Crypto
import GatehouseWire

/// The supported `alg` values: every asymmetric one of RFC 7518 §3.1, EdDSA (RFC 8037 §3.1) and HS256. Excludes `none`.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512.
    case ps512 = "PS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
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
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA: "OKP"
        }
    }

    /// The `crv` of the algorithm's keys.
    var curve: String? {
        switch self {
        case .hs256, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA: "Ed25519"
        }
    }

    /// The input's digest with the algorithm's hash function; SHA-512 for EdDSA.
    func digest(of input: some Sequence<UInt8>) -> any Digest {
        let input = Array(input)
        return switch self {
        case .hs256, .rs256, .ps256, .es256: SHA256.hash(data: input)
        case .rs384, .ps384, .es384: SHA384.hash(data: input)
        case .rs512, .ps512, .es512, .edDSA: SHA512.hash(data: input)
        }
    }

    /// The `at_hash` or `c_hash` of a token or code: the left half of its digest, in Base64URL (OpenID Connect Core 1.0
    /// §3.1.3.6).
    package func halfHash(of text: String) -> String {
        let digest = Array(digest(of: text.utf8))
        return Base64URL.text(Array(digest.prefix(digest.count / 2)))
    }
}
