import Crypto
import GatehouseWire

/// Every asymmetric `alg` of RFC 7518 §3.1, EdDSA (RFC 8037 §3.1) and HS256. Excludes `none`.
package enum SigningAlgorithm: String, CaseIterable, Sendable {
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5.
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    /// RSASSA-PSS.
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    /// On P-521.
    case es512 = "ES512"
    /// Ed25519.
    case edDSA = "EdDSA"

    package var isSymmetric: Bool { self == .hs256 }

    /// The keys' `kty` (RFC 7518 §6.1, RFC 8037 §2).
    var keyType: String {
        switch self {
        case .hs256: "oct"
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: "RSA"
        case .es256, .es384, .es512: "EC"
        case .edDSA: "OKP"
        }
    }

    /// The keys' `crv`.
    var curve: String? {
        switch self {
        case .hs256, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
        case .es256: "P-256"
        case .es384: "P-384"
        case .es512: "P-521"
        case .edDSA: "Ed25519"
        }
    }

    /// SHA-512 for EdDSA.
    func digest(of input: some Sequence<UInt8>) -> any Digest {
        let input = Array(input)
        return switch self {
        case .hs256, .rs256, .ps256, .es256: SHA256.hash(data: input)
        case .rs384, .ps384, .es384: SHA384.hash(data: input)
        case .rs512, .ps512, .es512, .edDSA: SHA512.hash(data: input)
        }
    }

    /// `at_hash` or `c_hash` (OpenID Connect Core 1.0 §3.1.3.6).
    package func halfHash(of text: String) -> String {
        let digest = Array(digest(of: text.utf8))
        return Base64URL.text(Array(digest.prefix(digest.count / 2)))
    }
}
