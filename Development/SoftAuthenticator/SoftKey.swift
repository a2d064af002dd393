import Crypto
import CryptoExtras
package import WebAuthn

/// In memory.
package struct SoftKey: Sendable {
    private enum Private: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    package let algorithm: COSEAlgorithm
    private let key: Private

    /// Generates a key; RSA keys have 2,048 bits.
    ///
    /// - Throws: The crypto library's error, when an RSA key cannot be generated.
    package init(_ algorithm: COSEAlgorithm) throws {
        self.algorithm = algorithm
        key =
            switch algorithm {
            case .es256: .p256(P256.Signing.PrivateKey())
            case .es384: .p384(P384.Signing.PrivateKey())
            case .es512: .p521(P521.Signing.PrivateKey())
            case .edDSA: .ed25519(Curve25519.Signing.PrivateKey())
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
                .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            }
    }

    private init(_ algorithm: COSEAlgorithm, _ key: Private) { (self.algorithm, self.key) = (algorithm, key) }

    /// Reuses an RSA key, which is slow to generate; nil for other keys and algorithms.
    package func with(_ algorithm: COSEAlgorithm) -> SoftKey? {
        guard case .rsa = key, ![.es256, .es384, .es512, .edDSA].contains(algorithm) else { return nil }
        return SoftKey(algorithm, key)
    }

    /// COSE_Key (§6.5.1.1) with its members in canonical order.
    ///
    /// - Throws: The crypto library's error, for a key whose numbers it cannot export.
    package func publicKey() throws -> [UInt8] {
        switch key {
        case .p256(let key): point(key.publicKey.rawRepresentation, curve: 1)
        case .p384(let key): point(key.publicKey.rawRepresentation, curve: 2)
        case .p521(let key): point(key.publicKey.rawRepresentation, curve: 3)
        case .ed25519(let key): map(1, [(-1, .integer(6)), (-2, .bytes(Array(key.publicKey.rawRepresentation)))])
        case .rsa(let key): try rsa(key.publicKey)
        }
    }

    private enum Parameter {
        case integer(Int64)
        case bytes([UInt8])
    }

    private func point(_ raw: some Sequence<UInt8>, curve: Int64) -> [UInt8] {
        let raw = Array(raw)
        let half = raw.count / 2
        return map(2, [(-1, .integer(curve)), (-2, .bytes(Array(raw[..<half]))), (-3, .bytes(Array(raw[half...])))])
    }

    private func rsa(_ key: _RSA.Signing.PublicKey) throws -> [UInt8] {
        let numbers = try key.getKeyPrimitives()
        return map(3, [(-1, .bytes(Array(numbers.modulus))), (-2, .bytes(Array(numbers.publicExponent)))])
    }

    private func map(_ type: Int64, _ parameters: [(Int64, Parameter)]) -> [UInt8] {
        let fixed: [(Int64, Parameter)] = [(1, .integer(type)), (3, .integer(algorithm.rawValue))]
        return CBORWriter.map(
            (fixed + parameters).map { label, parameter in
                switch parameter {
                case .integer(let value): (CBORWriter.integer(label), CBORWriter.integer(value))
                case .bytes(let bytes): (CBORWriter.integer(label), CBORWriter.bytes(bytes))
                }
            })
    }

    /// ECDSA in DER.
    package func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): Array(try key.signature(for: message).derRepresentation)
        case .p384(let key): Array(try key.signature(for: message).derRepresentation)
        case .p521(let key): Array(try key.signature(for: message).derRepresentation)
        case .ed25519(let key): Array(try key.signature(for: message))
        case .rsa(let key): Array(try sign(message, key).rawRepresentation)
        }
    }

    private func sign(_ message: [UInt8], _ key: _RSA.Signing.PrivateKey) throws -> _RSA.Signing.RSASignature {
        switch algorithm {
        case .rs384: try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5)
        case .rs512: try key.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5)
        case .ps256: try key.signature(for: SHA256.hash(data: message), padding: .PSS)
        case .ps384: try key.signature(for: SHA384.hash(data: message), padding: .PSS)
        case .ps512: try key.signature(for: SHA512.hash(data: message), padding: .PSS)
        default: try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        }
    }
}
