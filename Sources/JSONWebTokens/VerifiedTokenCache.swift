import Crypto
package import GatehouseWire
import Synchronization

/// Remembers tokens that were verified, so that the next request with the same one costs a digest.
///
/// Holds SHA-256 digests of tokens, never tokens, each until its `exp` at most. Refusals are not remembered.
package final class VerifiedTokenCache: Sendable {
    /// In bytes. A longer token is verified every time: the memory is bounded by count, and must be by size.
    package static let maximumTokenLength = 4_096

    private struct State: Sendable {
        var slots: TokenSlots
        var revoked: RevokedTokens
    }

    private let state: Mutex<State>
    /// As far as they were heard of, see ``RemoteKeySet/keyChanges()``.
    private let keyChanges = Mutex<UInt64>(0)

    /// - Parameters:
    ///   - capacity: How many tokens are held at most; about 3 kB each.
    ///   - revocations: How many revocations are held at most; about 120 bytes each.
    package init(capacity: Int = 4_096, revocations: Int = 65_536) {
        state = Mutex(
            State(slots: TokenSlots(capacity: capacity), revoked: RevokedTokens(capacity: revocations)))
    }

    /// How many tokens are held.
    package var count: Int { state.withLock { $0.slots.count } }

    /// - Parameters:
    ///   - refusesRevoked: For callers that have no other way to learn that a session has ended.
    ///   - verify: Asked when the token is not known. What it returns is stored, unless the token is revoked or
    ///     something was forgotten while it was at work.
    /// - Throws: What `verify` throws, and nothing is stored; ``TokenRejection/revoked``.
    package func verified(
        _ token: String, at now: Instant, refusesRevoked: Bool = false,
        verify: (String) throws(TokenRejection) -> VerifiedToken
    ) throws(TokenRejection) -> VerifiedToken {
        guard token.utf8.count <= Self.maximumTokenLength else {
            let fresh = try verify(token)
            if refusesRevoked, state.withLock({ $0.revoked.contains(fresh.claims, at: now) }) { throw .revoked }
            return fresh
        }
        let (digest, epoch, known) = lookUp(token, at: now)
        // None that is held is revoked: that costs those nothing who come again.
        if let known { return known }
        let fresh = try verify(token)
        if store(fresh, digest, epoch, at: now), refusesRevoked { throw .revoked }
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
        _ = store(fresh, digest, epoch, at: now)
        return fresh
    }

    private func note(_ changes: UInt64) {
        let isNew = keyChanges.withLock { known in
            defer { known = max(known, changes) }
            return changes > known
        }
        if isNew { forgetAll() }
    }

    /// Has the tokens of a session or of a subject refused, and forgets those that are held.
    ///
    /// - Parameters:
    ///   - notedAt: Of two that are told of one id the later one counts.
    ///   - until: nil: for good. Not after `notedAt`: they are accepted again.
    package func revoke(_ id: String, at notedAt: Instant, until: Instant? = nil) {
        state.withLock { state in
            if state.revoked.note(id, at: notedAt, until: until) { state.slots.forget(id) }
        }
    }

    /// Forgets everything: keys have changed.
    package func forgetAll() { _ = state.withLock { $0.slots.forgetAll() } }

    private func lookUp(_ token: String, at now: Instant) -> (SHA256Digest, UInt64, VerifiedToken?) {
        var (hasher, token) = (SHA256(), token)
        token.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hasher.finalize()
        return state.withLock { (digest, $0.slots.epoch, $0.slots.token(for: digest, at: now)) }
    }

    /// - Returns: Whether it is revoked, and therefore not kept.
    private func store(_ token: VerifiedToken, _ digest: SHA256Digest, _ epoch: UInt64, at now: Instant) -> Bool {
        state.withLock { state in
            if state.revoked.contains(token.claims, at: now) { return true }
            // Within a leeway a token may be good after its `exp`: accepted, but not kept.
            if state.slots.epoch == epoch, token.claims.isLive(at: now) { state.slots.store(token, for: digest) }
            return false
        }
    }
}
