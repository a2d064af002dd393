import Crypto
import Foundation

struct SoftwareKey: DeviceKey {
    private let key: P256.Signing.PrivateKey

    /// - Throws: ``KeyProblem/gone`` if unreadable.
    init(_ stored: StoredKey) throws(KeyProblem) {
        guard let bytes = Base64URL.decode(stored.wrapped.reveal()) else { throw .gone }
        do { key = try P256.Signing.PrivateKey(rawRepresentation: bytes) } catch { throw .gone }
    }

    private init(_ key: P256.Signing.PrivateKey) { self.key = key }

    static func make(_ randomBytes: (Int) -> [UInt8]) -> StoredKey? {
        let seed = randomBytes(32)
        // One hash in 2³² is no scalar of the curve.
        for number in UInt8(0)..<4 {
            let scalar = Array(SHA256.hash(data: seed + [number]))
            // Ignored: the next hash is one.
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: scalar) else { continue }
            return StoredKey(.software, SoftwareKey(key), wrapped: Secret(Base64URL.text(scalar)))
        }
        return nil
    }

    var coordinates: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func signature(of bytes: [UInt8]) throws(KeyProblem) -> [UInt8] {
        do { return Array(try key.signature(for: bytes).rawRepresentation) } catch {
            throw .unavailable(StoreProblem(error))
        }
    }
}
