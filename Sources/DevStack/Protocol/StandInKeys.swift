import Crypto
import GatehouseWire
import JSONWebTokens
import Synchronization

/// The signing keys of a simulated provider. The newest signs; previous ones remain published.
final class StandInKeys: Sendable {
    /// The number of keys that Apple publishes.
    private static let publishedCount = 3

    private let makeKey: @Sendable () throws -> JSONWebKey
    /// Newest first; never empty.
    private let signers: Mutex<[TokenSigner]>

    init(makeKey: @escaping @Sendable () throws -> JSONWebKey) throws {
        self.makeKey = makeKey
        signers = Mutex([try TokenSigner(makeKey().identified())])
    }

    private var published: [TokenSigner] { signers.withLock { $0 } }

    var algorithm: SigningAlgorithm { published[0].key.algorithm }

    /// The `kid` of each published key, newest first.
    var ids: [String] { published.compactMap(\.key.id) }

    /// - Throws: Errors of key generation. Nothing changed then.
    func rotate() throws {
        let fresh = try TokenSigner(makeKey().identified())
        signers.withLock { signers in
            signers.insert(fresh, at: 0)
            signers.removeLast(max(0, signers.count - Self.publishedCount))
        }
    }

    /// The JWKS document.
    func document() throws -> [UInt8] { try KeySet(published.map(\.key)).publicDocument }

    func sign(_ claims: JSONObject) throws -> String {
        try published[0].sign(payload: Array(AnyJSON.object(claims).text.utf8))
    }

    /// The `at_hash` or `c_hash` of a token or code (OpenID Connect Core 1.0 §3.1.3.6).
    func hash(of text: String) -> String {
        let bytes = Array(text.utf8)
        return switch algorithm {
        case .hs256, .rs256, .es256: Base64URL.text(Array(SHA256.hash(data: bytes).prefix(16)))
        case .rs512, .es512, .edDSA: Base64URL.text(Array(SHA512.hash(data: bytes).prefix(32)))
        }
    }
}
