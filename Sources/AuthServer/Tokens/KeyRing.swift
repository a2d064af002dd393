package import AccountStore
package import GatehouseWire
package import JSONWebTokens
import Synchronization

/// Where the keys of access tokens come from.
package struct KeySources: Sendable {
    /// Keys in the database, made and rotated there; nil when configuration alone decides.
    package var store: SigningKeys?
    /// Private and public keys from configuration; the one that may sign goes before those of the database.
    package var imported: [JSONWebKey] = []
    /// The HMAC key that a deployment shares with others, as Supabase's JWT secret.
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false

    package init() {}
}

/// The keys that sign and verify access tokens, read anew while the server runs, so that a rotation reaches every
/// node without a restart.
package final class KeyRing: Sendable {
    private struct Keys: Sendable {
        var signer: TokenSigner
        var verifying: KeySet
        var document: [UInt8]
    }

    private let sources: KeySources
    private let tokenLifetime: Duration
    private let now: @Sendable () -> Instant
    private let makeKey: @Sendable () -> JSONWebKey
    private let keys: Mutex<Keys?> = Mutex(nil)
    /// Tokens verified before, for everybody in this process who verifies by these keys.
    package let cache = VerifiedTokenCache()

    /// - Parameters:
    ///   - tokenLifetime: How long a key verifies after it signed for the last time.
    ///   - makeKey: A new private key with an id of its own.
    package init(
        _ sources: KeySources, tokenLifetime: Duration, now: @escaping @Sendable () -> Instant,
        makeKey: @escaping @Sendable () -> JSONWebKey
    ) {
        self.sources = sources
        self.tokenLifetime = tokenLifetime
        self.now = now
        self.makeKey = makeKey
    }

    /// Reads the keys, and makes the first one when there is none.
    ///
    /// - Throws: What the database throws, ``UnknownServerSecret``, ``KeyProblem``; the keys stay as they were.
    package func reload() async throws {
        var verifying = sources.imported
        var current = sources.imported.first(where: \.maySign)
        if let store = sources.store {
            let stored = try await storedKeys(in: store).filter(isGood)
            // One that was made by a clock that was ahead must not sign again after it was retired.
            let signing =
                stored.first { $0.retiredAt == nil && hasSettled($0) } ?? stored.first(where: hasSettled) ?? stored.last
            for found in stored {
                let key = try JSONWebKey(text: found.privateKey)
                verifying.append(key)
                if current == nil, found.id == signing?.id { current = key }
            }
        }
        if let shared = sources.sharedSecret {
            if sources.signsWithSharedSecret { current = shared }
            if shared.id != nil { verifying.append(shared) }
        }
        guard let current else { throw NoSigningKey() }
        let set = try KeySet(verifying, keyForTokensWithoutID: sources.sharedSecret)
        let fresh = Keys(signer: try TokenSigner(current), verifying: set, document: set.publicDocument)
        let hasChanged = keys.withLock { keys in
            defer { keys = fresh }
            return keys.map { $0.verifying != set } ?? true
        }
        if hasChanged { cache.forgetAll() }
    }

    private func storedKeys(in store: SigningKeys) async throws -> [StoredSigningKey] {
        let stored = try await store.all()
        if stored.contains(where: { $0.retiredAt == nil }) { return stored }
        // Configuration signs: no key is made that nobody asked for.
        if sources.signsWithSharedSecret || sources.imported.contains(where: \.maySign) { return stored }
        let key = makeKey()
        return try await store.ensure(
            StoredSigningKey(id: key.id ?? key.thumbprint, privateKey: key.privateJWK, createdAt: now()))
    }

    /// Whether a token that the key signed may still be good.
    private func isGood(_ key: StoredSigningKey) -> Bool {
        guard let retiredAt = key.retiredAt else { return true }
        return now() < retiredAt + tokenLifetime + Self.overlap
    }

    /// A new key signs when every node has had the time to read it: before that, one node's tokens would be
    /// strange to another. The only key signs at once.
    private func hasSettled(_ key: StoredSigningKey) -> Bool { now() >= key.createdAt + Self.settling }

    /// From a rotation to the first token that the new key signs; nodes read their keys every 30 s.
    package static let settling: Duration = .seconds(60)

    /// How much longer than the tokens a retired key is kept: nodes read their keys anew within this time.
    package static let overlap: Duration = .seconds(600)

    /// The public keys (RFC 7517 §5), as `GET /.well-known/jwks.json` gives them.
    package var document: [UInt8] { keys.withLock { $0?.document } ?? Array(#"{"keys":[]}"#.utf8) }

    /// - Throws: ``NoSigningKey`` before the first ``reload()``.
    package func sign(_ payload: [UInt8]) throws -> String {
        guard let signer = keys.withLock({ $0?.signer }) else { throw NoSigningKey() }
        return try signer.sign(payload: payload)
    }

    /// The claims of a token of this server, or of a key that the shared secret signed; seen before, it costs a look-up.
    ///
    /// - Parameter refusesRevoked: For callers that do not look up the session.
    package func verify(_ token: String, refusesRevoked: Bool = false) throws(TokenRejection) -> VerifiedToken {
        let now = now()
        return try cache.verified(token, at: now, refusesRevoked: refusesRevoked) { token throws(TokenRejection) in
            guard let keys = keys.withLock({ $0?.verifying }) else { throw .unknownKey(nil) }
            return try keys.verify(token, at: now, acceptsKeys: true)
        }
    }
}

/// Neither the database nor the configuration has a key that may sign.
package struct NoSigningKey: Error, Equatable, Sendable {}
