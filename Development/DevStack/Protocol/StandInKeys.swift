import GatehouseWire
import JSONWebTokens
import Synchronization

/// The newest key signs; previous ones remain published. Created on first use.
final class StandInKeys: Sendable {
    /// As many as Apple's.
    private static let publishedCount = 3

    private let makeKey: @Sendable () throws -> JSONWebKey
    /// Newest first.
    private let signers = Mutex<[TokenSigner]>([])

    init(makeKey: @escaping @Sendable () throws -> JSONWebKey) { self.makeKey = makeKey }

    private func newSigner() throws -> TokenSigner { try TokenSigner(makeKey().identified()) }

    /// Never empty.
    private func published() throws -> [TokenSigner] {
        try signers.withLock { signers in
            if signers.isEmpty { signers = [try newSigner()] }
            return signers
        }
    }

    func algorithm() throws -> SigningAlgorithm { try published()[0].key.algorithm }

    /// Newest first.
    func ids() throws -> [String] { try published().compactMap(\.key.id) }

    /// - Throws: Errors of key generation. Nothing changed.
    func rotate() throws {
        _ = try published()
        let fresh = try newSigner()
        signers.withLock { signers in
            signers.insert(fresh, at: 0)
            signers.removeLast(max(0, signers.count - Self.publishedCount))
        }
    }

    /// JWKS.
    func document() throws -> [UInt8] { try KeySet(published().map(\.key)).publicDocument }

    func sign(_ claims: AuthJSONObject) throws -> String {
        try published()[0].sign(payload: Array(AuthJSON.object(claims).text.utf8))
    }

    /// `at_hash` or `c_hash` (OpenID Connect Core 1.0 §3.1.3.6).
    func hash(of text: String) throws -> String { try algorithm().halfHash(of: text) }
}
