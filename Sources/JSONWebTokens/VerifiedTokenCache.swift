import Crypto
package import GatehouseWire
import Synchronization

/// Remembers tokens that were verified, so that the next request with the same one costs a digest.
///
/// Holds SHA-256 digests of tokens, never tokens, each until its `exp` at most. Refusals are not remembered.
package final class VerifiedTokenCache: Sendable {
    /// In bytes. A longer token is verified every time: the memory is bounded by count, and must be by size.
    package static let maximumTokenLength = 4_096

    private let state: Mutex<TokenSlots>
    /// As far as they were heard of, see ``RemoteKeySet/keyChanges()``.
    private let keyChanges = Mutex<UInt64>(0)

    /// - Parameter capacity: How many tokens are held at most; about 3 kB each.
    package init(capacity: Int = 4_096) { state = Mutex(TokenSlots(capacity: capacity)) }

    /// How many tokens are held.
    package var count: Int { state.withLock { $0.count } }

    /// - Parameter verify: Asked when the token is not known. What it returns is stored, unless something was
    ///   forgotten while it was at work.
    /// - Throws: What `verify` throws, and nothing is stored.
    package func verified(
        _ token: String, at now: Instant, verify: (String) throws(TokenRejection) -> VerifiedToken
    ) throws(TokenRejection) -> VerifiedToken {
        guard token.utf8.count <= Self.maximumTokenLength else { return try verify(token) }
        let (digest, epoch, known) = lookUp(token, at: now)
        if let known { return known }
        let fresh = try verify(token)
        store(fresh, digest, epoch, at: now)
        return fresh
    }

    /// The same for keys that may have to be fetched first. Forgets everything when they have changed.
    ///
    /// - Parameter keys: The same ones with each call.
    package func verified(
        _ token: String, at now: Instant, leeway: Duration = .zero, by keys: RemoteKeySet
    ) async throws(RemoteKeySet.Failure) -> VerifiedToken {
        guard token.utf8.count <= Self.maximumTokenLength else {
            return try await keys.verify(token, at: now, leeway: leeway)
        }
        note(await keys.keyChanges())
        let (digest, epoch, known) = lookUp(token, at: now)
        if let known { return known }
        let fresh = try await keys.verify(token, at: now, leeway: leeway)
        store(fresh, digest, epoch, at: now)
        return fresh
    }

    private func note(_ changes: UInt64) {
        let isNew = keyChanges.withLock { known in
            defer { known = max(known, changes) }
            return changes > known
        }
        if isNew { forgetAll() }
    }

    /// Forgets every token of a session: it was signed out, or its user banned.
    package func forget(session: String) { state.withLock { $0.forget(session: session) } }

    /// Forgets everything: keys have changed.
    package func forgetAll() { _ = state.withLock { $0.forgetAll() } }

    private func lookUp(_ token: String, at now: Instant) -> (SHA256Digest, UInt64, VerifiedToken?) {
        var (hasher, token) = (SHA256(), token)
        token.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hasher.finalize()
        return state.withLock { (digest, $0.epoch, $0.token(for: digest, at: now)) }
    }

    private func store(_ token: VerifiedToken, _ digest: SHA256Digest, _ epoch: UInt64, at now: Instant) {
        // Within a leeway a token may be good after its `exp`: accepted, but not kept.
        guard now < token.claims.expiresAt else { return }
        state.withLock { if $0.epoch == epoch { $0.store(token, for: digest) } }
    }
}
