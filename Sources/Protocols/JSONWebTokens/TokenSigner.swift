import Crypto
import CryptoExtras
import GatehouseWire

/// Encodes the common headers only once.
package struct TokenSigner: Sendable {
    package let key: JSONWebKey
    private let signing: SigningKey
    /// The encoded headers, each with a dot.
    private let prefix: [UInt8]
    private let clientPrefix: [UInt8]

    /// `typ` (RFC 7515 §4.1.9).
    package enum Kind: String, Sendable {
        case any = "JWT"
        /// RFC 9068 §2.1.
        case clientAccess = "at+jwt"
    }

    /// - Throws: ``KeyProblem/cannotSign``, also for a standby key.
    package init(_ key: JSONWebKey) throws(KeyProblem) {
        guard key.maySign, let signing = key.parts.signing else { throw .cannotSign }
        (self.key, self.signing) = (key, signing)
        prefix = Self.header(key, .any)
        clientPrefix = Self.header(key, .clientAccess)
    }

    private static func header(_ key: JSONWebKey, _ kind: Kind) -> [UInt8] {
        var header = JSONWriter(capacity: 128)
        header.beginObject()
        header.member("alg", key.algorithm.rawValue)
        if let id = key.id { header.member("kid", id) }
        header.member("typ", kind.rawValue)
        header.endObject()
        return Base64URL.encode(header.bytes) + [UInt8(ascii: ".")]
    }

    /// - Parameter payload: A JSON object, signed unchanged.
    /// - Returns: The compact form (RFC 7515 §7.1).
    package func sign(payload: [UInt8], as kind: Kind = .any) throws -> String {
        let prefix = kind == .any ? prefix : clientPrefix
        var token = prefix
        // Fits the longest usual signature, RSA with 4,096 bits.
        token.reserveCapacity(prefix.count + Base64URL.encodedCount(payload.count) + 1 + 683)
        Base64URL.append(payload, to: &token)
        let signature = try signing.sign(token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}

extension TokenSigner: Unprinted {
    package var description: String { "<signer with \(key)>" }
}

enum SigningKey: Sendable {
    case hs256(SymmetricKey)
    case rsa(_RSA.Signing.PrivateKey, SigningAlgorithm)
    case es256(P256.Signing.PrivateKey)
    case es384(P384.Signing.PrivateKey)
    case es512(P521.Signing.PrivateKey)
    case edDSA(Curve25519.Signing.PrivateKey)

    func sign(_ input: [UInt8]) throws -> [UInt8] {
        switch self {
        case .hs256(let key):
            Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        case .rsa(let key, let algorithm):
            try Array(
                key.signature(for: algorithm.digest(of: input), padding: algorithm.padding).rawRepresentation)
        case .es256(let key):
            try Array(key.signature(for: input).rawRepresentation)
        case .es384(let key):
            try Array(key.signature(for: input).rawRepresentation)
        case .es512(let key):
            try Array(key.signature(for: input).rawRepresentation)
        case .edDSA(let key):
            try Array(key.signature(for: input))
        }
    }
}
