import Crypto
import CryptoExtras
import GatehouseWire

package enum COSEKeyProblem: Error, Equatable, Sendable {
    case notAMap
    case unsupportedAlgorithm
    case algorithmDoesNotFit
    /// The wrong type or length, a NIST point off its curve or compressed, or an Ed25519 point that ``Ed25519Point``
    /// refuses.
    case malformedParameter
    /// Beyond the required ones (§6.5.1.1).
    case unexpectedParameter
    /// A modulus outside 2,048 to 4,096 bits, or an exponent that is even, below 3 or above 32 bits.
    case unsafeModulus
}

/// RFC 9052 §7, RFC 9053, RFC 8230.
package struct CredentialPublicKey: Sendable {
    private enum Key: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    package let algorithm: COSEAlgorithm
    private let key: Key

    /// Requires exactly its algorithm's parameters.
    package init(_ bytes: [UInt8]) throws(COSEKeyProblem) {
        // Ignored: the attestation object was read before.
        guard let map = (try? CBORReader.read(bytes[...]))?.mapValue else { throw .notAMap }
        guard let algorithm = map[3]?.integerValue.flatMap({ COSEAlgorithm(rawValue: $0) }) else {
            throw .unsupportedAlgorithm
        }
        self.algorithm = algorithm
        key = try Self.key(map, algorithm)
    }

    private static func key(_ map: CBORMap, _ algorithm: COSEAlgorithm) throws(COSEKeyProblem) -> Key {
        switch algorithm {
        case .es256:
            let point = try point(map, curve: 1, length: 32)
            return .p256(try accepted { try P256.Signing.PublicKey(rawRepresentation: point) })
        case .es384:
            let point = try point(map, curve: 2, length: 48)
            return .p384(try accepted { try P384.Signing.PublicKey(rawRepresentation: point) })
        case .es512:
            let point = try point(map, curve: 3, length: 66)
            return .p521(try accepted { try P521.Signing.PublicKey(rawRepresentation: point) })
        case .edDSA:
            try require(map, type: 1, curve: 6, count: 4)
            guard let x = map[-2]?.bytesValue, Ed25519Point.isUsable(x) else { throw .malformedParameter }
            return .ed25519(try accepted { try Curve25519.Signing.PublicKey(rawRepresentation: x) })
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: return .rsa(try rsa(map))
        }
    }

    private static func require(
        _ map: CBORMap, type: Int64, curve: Int64?, count: Int
    ) throws(COSEKeyProblem) {
        guard map[1]?.integerValue == type else { throw .algorithmDoesNotFit }
        if let curve, map[-1]?.integerValue != curve { throw .algorithmDoesNotFit }
        guard map.count == count else { throw .unexpectedParameter }
    }

    /// An uncompressed point's coordinates (§5.8.5).
    private static func point(_ map: CBORMap, curve: Int64, length: Int) throws(COSEKeyProblem) -> [UInt8] {
        try require(map, type: 2, curve: curve, count: 5)
        guard let x = map[-2]?.bytesValue, let y = map[-3]?.bytesValue, x.count == length, y.count == length else {
            throw .malformedParameter
        }
        return x + y
    }

    private static func rsa(_ map: CBORMap) throws(COSEKeyProblem) -> _RSA.Signing.PublicKey {
        try require(map, type: 3, curve: nil, count: 4)
        guard let n = map[-1]?.bytesValue, let e = map[-2]?.bytesValue, let high = n.first, let low = n.last,
            high != 0, let first = e.first, first != 0, let last = e.last
        else { throw .malformedParameter }
        let bits = n.count * 8 - high.leadingZeroBitCount
        let isExponentSafe = e.count <= 4 && last & 1 == 1 && (e.count > 1 || first >= 3)
        guard (2_048...4_096).contains(bits), low & 1 == 1, isExponentSafe else { throw .unsafeModulus }
        return try accepted { try _RSA.Signing.PublicKey(n: n, e: e) }
    }

    private static func accepted<Value>(_ make: () throws -> Value) throws(COSEKeyProblem) -> Value {
        // The library's reason names no parameter.
        do { return try make() } catch { throw .malformedParameter }
    }

    /// ECDSA signatures are in DER (§6.5.5).
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        switch key {
        case .p256(let key):
            // Ignored, here and below: a signature that is not DER is invalid.
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .p384(let key):
            // Ignored: as above.
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .p521(let key):
            // Ignored: as above.
            guard let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .rsa(let key): return isValid(_RSA.Signing.RSASignature(rawRepresentation: signature), of: key, message)
        }
    }

    private func isValid(
        _ signature: _RSA.Signing.RSASignature, of key: _RSA.Signing.PublicKey, _ message: [UInt8]
    ) -> Bool {
        switch algorithm {
        case .rs256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
        case .ps256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .PSS)
        case .ps384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: .PSS)
        case .ps512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: .PSS)
        case .es256, .es384, .es512, .edDSA: false
        }
    }
}
