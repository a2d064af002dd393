#if canImport(CryptoKit)
import CryptoKit
import Foundation
import Security

/// A key in the Secure Enclave. The stored form is encrypted by the Enclave and useless on another device.
struct EnclaveKey: DeviceKey {
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// Usable after the first unlock, on this device only.
    fileprivate static func make() -> StoredKey? {
        guard SecureEnclave.isAvailable,
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil),
            // Ignored: the software makes the key.
            let key = try? SecureEnclave.P256.Signing.PrivateKey(accessControl: access)
        else { return nil }
        return StoredKey(
            .enclave, EnclaveKey(key), wrapped: Secret(Base64URL.text(Array(key.dataRepresentation))))
    }

    /// - Throws: ``KeyProblem``.
    fileprivate init(_ stored: StoredKey) throws(KeyProblem) {
        guard SecureEnclave.isAvailable, let bytes = Base64URL.decode(stored.wrapped.reveal()) else { throw .gone }
        do { key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data(bytes)) } catch {
            throw KeyProblem(enclave: error)
        }
    }

    private init(_ key: SecureEnclave.P256.Signing.PrivateKey) { self.key = key }

    var coordinates: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func signature(of bytes: [UInt8]) throws(KeyProblem) -> [UInt8] {
        do { return Array(try key.signature(for: Data(bytes)).rawRepresentation) } catch {
            throw KeyProblem(enclave: error)
        }
    }
}

func makeEnclaveKey() -> StoredKey? { EnclaveKey.make() }

func openEnclaveKey(_ stored: StoredKey) throws(KeyProblem) -> any DeviceKey { try EnclaveKey(stored) }
#endif
