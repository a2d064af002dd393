import Crypto
import CryptoExtras
import GatehouseWire

/// A verifying key. Each algorithm has its own case, so that a key cannot be used with another.
enum VerifyingKey: Sendable {
    case hs256(SymmetricKey)
    case rs256(_RSA.Signing.PublicKey)
    case rs512(_RSA.Signing.PublicKey)
    case es256(P256.Signing.PublicKey)
    case es512(P521.Signing.PublicKey)
    case edDSA(Curve25519.Signing.PublicKey)

    func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .hs256(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        case .rs256(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)
        case .rs512(let key):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5)
        case .es256(let key):
            // Lost: that the length is wrong, which counts as a bad signature.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .es512(let key):
            // Lost: that the length is wrong, which counts as a bad signature.
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .edDSA(let key):
            return key.isValidSignature(signature, for: input)
        }
    }
}

/// A signing key.
enum SigningKey: Sendable {
    case hs256(SymmetricKey)
    case rs256(_RSA.Signing.PrivateKey)
    case rs512(_RSA.Signing.PrivateKey)
    case es256(P256.Signing.PrivateKey)
    case es512(P521.Signing.PrivateKey)
    case edDSA(Curve25519.Signing.PrivateKey)

    /// - Throws: Errors of the crypto library.
    func sign(_ input: [UInt8]) throws -> [UInt8] {
        switch self {
        case .hs256(let key):
            Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
        case .rs256(let key):
            try Array(key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .rs512(let key):
            try Array(key.signature(for: SHA512.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        case .es256(let key):
            try Array(key.signature(for: input).rawRepresentation)
        case .es512(let key):
            try Array(key.signature(for: input).rawRepresentation)
        case .edDSA(let key):
            try Array(key.signature(for: input))
        }
    }
}
