package import AccountStore
package import GatehouseWire
package import JSONWebTokens
import Synchronization

package struct KeySources: Sendable {
    /// nil if only configured keys are used.
    package var store: SigningKeys?
    /// A configured signing key takes precedence over the database's.
    package var imported: [JSONWebKey] = []
    /// Shared with other services, such as Supabase's JWT secret.
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false

    package init() {}
}

/// The keys for access tokens, reloaded so that a rotation reaches every node without a restart.
package final class KeyRing: Sendable {
    private struct Keys: Sendable {
        var signer: TokenSigner
        var verifying: KeySet
        var document: [UInt8]
    }

    private let sources: KeySources
    /// nil if only configured keys are used.
    package var store: SigningKeys? { sources.store }
    private let tokenLifetime: Duration
    private let now: @Sendable () -> Instant
    private let makeKey: @Sendable () -> JSONWebKey
    private let keys: Mutex<Keys?> = Mutex(nil)
    /// Shared by everything in this process that verifies with these keys.
    package let cache: VerifiedTokenCache

    /// - Parameters:
    ///   - tokenLifetime: How long a key verifies after its last signature.
    ///   - makeKey: Generates a key with its own ID.
    package init(
        _ sources: KeySources, tokenLifetime: Duration, now: @escaping @Sendable () -> Instant,
        makeKey: @escaping @Sendable () -> JSONWebKey
    ) {
        self.sources = sources
        self.tokenLifetime = tokenLifetime
        cache = VerifiedTokenCache(tokenLifetime: tokenLifetime)
        self.now = now
        self.makeKey = makeKey
    }

    /// Creates the first key if needed.
    ///
    /// - Throws: ``DatabaseFailure``, ``UnknownServerSecret``, ``KeyProblem`` or ``NoSigningKey``. The previous keys
    ///   stay in use.
    package func reload() async throws {
        var verifying = sources.imported
        var current = sources.imported.first(where: \.maySign)
        if let store = sources.store {
            let stored = try await storedKeys(in: store).filter(isGood)
            // A key from a clock that ran ahead must not sign again after its retirement.
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
        // A configured key signs, so the database needs none.
        if sources.signsWithSharedSecret || sources.imported.contains(where: \.maySign) { return stored }
        let key = makeKey()
        return try await store.ensure(
            StoredSigningKey(id: key.id ?? key.thumbprint, privateKey: key.privateJWK, createdAt: now()))
    }

    /// Tokens signed by this key may still be valid.
    private func isGood(_ key: StoredSigningKey) -> Bool {
        guard let retiredAt = key.retiredAt else { return true }
        return now() < retiredAt + tokenLifetime + Self.overlap
    }

    /// A new key signs only after every node has loaded it. An only key signs immediately.
    private func hasSettled(_ key: StoredSigningKey) -> Bool { now() >= key.createdAt + Self.settling }

    /// From a rotation to the new key's first token. Nodes reload every 30 s.
    package static let settling: Duration = .seconds(60)

    /// How long a retired key outlives its tokens. Nodes reload within this time.
    package static let overlap: Duration = .seconds(600)

    /// The JWK Set (RFC 7517 §5) of `GET /.well-known/jwks.json`.
    package var document: [UInt8] { keys.withLock { $0?.document } ?? Array(#"{"keys":[]}"#.utf8) }

    /// - Parameter payload: A JSON object.
    /// - Throws: ``NoSigningKey`` before the first ``reload()``, or an error of the crypto library.
    package func sign(_ payload: [UInt8], as kind: TokenSigner.Kind = .any) throws -> String {
        guard let signer = keys.withLock({ $0?.signer }) else { throw NoSigningKey() }
        return try signer.sign(payload: payload, as: kind)
    }

    /// nil before the first ``reload()``.
    package var signingAlgorithm: SigningAlgorithm? { keys.withLock { $0?.signer.key.algorithm } }

    /// A repeated token costs one digest.
    ///
    /// - Parameter refusesRevoked: For callers that do not look up the session.
    /// - Throws: ``TokenRejection``; ``TokenRejection/revoked`` only with `refusesRevoked`;
    ///   ``TokenRejection/unknownKey(_:)`` before the first ``reload()``.
    package func verify(_ token: String, refusesRevoked: Bool = false) throws(TokenRejection) -> VerifiedToken {
        let now = now()
        return try cache.verified(token, at: now, refusesRevoked: refusesRevoked) { token throws(TokenRejection) in
            guard let keys = keys.withLock({ $0?.verifying }) else { throw .unknownKey(nil) }
            return try keys.verify(token, at: now, acceptsKeys: true)
        }
    }

    /// The claims of a token that we signed, even an expired one.
    func payload(of token: String) throws(TokenRejection) -> SignedPayload {
        guard let keys = keys.withLock({ $0?.verifying }) else { throw .unknownKey(nil) }
        return try keys.payload(of: token)
    }
}

/// Neither database nor configuration has a key that may sign.
package struct NoSigningKey: Error, Equatable, Sendable {}
