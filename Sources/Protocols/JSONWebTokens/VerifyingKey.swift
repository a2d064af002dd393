import Crypto
import CryptoExtras
import GatehouseWire

enum VerifyingKey: Sendable {
    case hs256(SymmetricKey)
    case rsa(_RSA.Signing.PublicKey, SigningAlgorithm)
    case es256(P256.Signing.PublicKey)
    case es384(P384.Signing.PublicKey)
    case es512(P521.Signing.PublicKey)
    case edDSA(Curve25519.Signing.PublicKey)

    func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .hs256(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: key)
        case .rsa(let key, let algorithm):
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: algorithm.digest(of: input), padding: algorithm.padding)
        case .es256(let key):
            // Ignored: a wrong length is a bad signature.
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .es384(let key):
            // Ignored: as above.
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .es512(let key):
            // Ignored: as above.
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .edDSA(let key):
            return key.isValidSignature(signature, for: input)
        }
    }
}

extension SigningAlgorithm {
    /// PSS's salt is as long as the digest (RFC 7518 §3.5).
    var padding: _RSA.Signing.Padding {
        switch self {
        case .ps256, .ps384, .ps512: .PSS
        case .hs256, .rs256, .rs384, .rs512, .es256, .es384, .es512, .edDSA: .insecurePKCS1v1_5
        }
    }
}
