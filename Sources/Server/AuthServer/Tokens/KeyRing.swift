package import AccountStore
package import GatehouseWire
package import JSONWebTokens
import Synchronization

/// The sources of the keys for access tokens.
package struct KeySources: Sendable {
    /// Keys that the database stores and rotates; nil if only configured keys are used.
    package var store: SigningKeys?
    /// Private and public keys from configuration. A configured signing key takes precedence over those in the
    /// database.
    package var imported: [JSONWebKey] = []
    /// The HMAC key that a deployment shares with other services, such as Supabase's JWT secret.
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false

    package init() {}
}

/// The keys that sign and verify access tokens. The server reloads them while it runs, so a rotation reaches every node
/// without a restart.
package final class KeyRing: Sendable {
    private struct Keys: Sendable {
        var signer: TokenSigner
        var verifying: KeySet
        var document: [UInt8]
    }

    private let sources: KeySources
    /// The keys that the database stores; nil if only configured keys are used.
    package var store: SigningKeys? { sources.store }
    private let tokenLifetime: Duration
    private let now: @Sendable () -> Instant
    private let makeKey: @Sendable () -> JSONWebKey
    private let keys: Mutex<Keys?> = Mutex(nil)
    /// Tokens verified before, shared by everything in this process that verifies with these keys.
    package let cache: VerifiedTokenCache

    /// - Parameters:
    ///   - tokenLifetime: How long a key verifies after its last signature.
    ///   - makeKey: Generates a new private key with its own id.
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

    /// Loads the keys, and creates the first one if there is none.
    ///
    /// - Throws: ``DatabaseFailure``, ``UnknownServerSecret``, ``KeyProblem`` or ``NoSigningKey``. The loaded keys then
    ///   stay in use.
    package func reload() async throws {
        var verifying = sources.imported
        var current = sources.imported.first(where: \.maySign)
        if let store = sources.store {
            let stored = try await storedKeys(in: store).filter(isGood)
            // A key created with a clock that ran ahead must not sign again after its retirement.
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

    /// Whether tokens signed by this key may still be valid.
    private func isGood(_ key: StoredSigningKey) -> Bool {
        guard let retiredAt = key.retiredAt else { return true }
        return now() < retiredAt + tokenLifetime + Self.overlap
    }

    /// A new key signs only after every node has had time to load it; otherwise other nodes would refuse its tokens. If
    /// it is the only key, it signs immediately.
    private func hasSettled(_ key: StoredSigningKey) -> Bool { now() >= key.createdAt + Self.settling }

    /// The time from a rotation to the first token that the new key signs. Nodes load their keys every 30 s.
    package static let settling: Duration = .seconds(60)

    /// How much longer than its tokens a retired key is kept. Nodes reload their keys within this time.
    package static let overlap: Duration = .seconds(600)

    /// The public keys as a JWK Set (RFC 7517 §5), served by `GET /.well-known/jwks.json`.
    package var document: [UInt8] { keys.withLock { $0?.document } ?? Array(#"{"keys":[]}"#.utf8) }

    /// Signs the claims, a JSON object, with the current key.
    ///
    /// - Throws: ``NoSigningKey`` before the first ``reload()``, or an error of the crypto library.
    package func sign(_ payload: [UInt8]) throws -> String {
        guard let signer = keys.withLock({ $0?.signer }) else { throw NoSigningKey() }
        return try signer.sign(payload: payload)
    }

    /// Verifies a token signed by one of these keys or with the shared secret. A repeated token costs one digest.
    ///
    /// - Parameter refusesRevoked: For callers that do not look up the session.
    /// - Throws: ``TokenRejection``; ``TokenRejection/revoked`` only with `refusesRevoked`, and always
    ///   ``TokenRejection/unknownKey(_:)`` before the first ``reload()``.
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
