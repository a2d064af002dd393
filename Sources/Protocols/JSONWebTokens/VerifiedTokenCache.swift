import Crypto
package import GatehouseWire
import Synchronization

/// Keyed by SHA-256 digest, until `exp` at most. A repeated token costs one digest. Does not cache refusals.
package final class VerifiedTokenCache: Sendable {
    /// Bytes. The capacity would not bound longer tokens' memory.
    package static let maximumTokenLength = 4_096

    private struct State: Sendable {
        var slots: TokenSlots
        var revoked: RevokedTokens
    }

    private let state: Mutex<State>
    private let keyChanges = Mutex<UInt64>(0)

    /// - Parameters:
    ///   - capacity: The maximum number of tokens, about 3 kB each.
    ///   - revocations: The maximum number of revocations, about 160 bytes each.
    ///   - tokenLifetime: Of the tokens that revocations refuse.
    package init(capacity: Int = 4_096, revocations: Int = 65_536, tokenLifetime: Duration = .seconds(3_600)) {
        state = Mutex(
            State(
                slots: TokenSlots(capacity: capacity),
                revoked: RevokedTokens(capacity: revocations, tokenLifetime: tokenLifetime)))
    }

    /// Revocations evicted before their tokens had expired.
    package var revocationsLost: Int { state.withLock { $0.revoked.evictedEarly } }

    package var count: Int { state.withLock { $0.slots.count } }

    /// Returns the cached token, or verifies it.
    ///
    /// - Parameters:
    ///   - refusesRevoked: For callers with no other way to learn that a session has ended.
    ///   - verify: Its result is stored, unless the token is revoked or entries were removed during the call.
    /// - Throws: Errors of `verify`, and ``TokenRejection/revoked``.
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
        // Cached tokens are never revoked.
        if let known { return known }
        let fresh = try verify(token)
        if store(fresh, digest, epoch, at: now), refusesRevoked { throw .revoked }
        return fresh
    }

    /// For keys that may have to be fetched first. Clears the cache after the keys have changed.
    ///
    /// - Parameter keys: The same key set for every call.
    /// - Throws: As ``RemoteKeySet/verify(_:at:leeway:)``. A revoked token is not refused.
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

    /// Also evicts its tokens; parameters as for ``RevokedTokens/note(_:at:until:now:)``.
    package func revoke(_ id: String, at notedAt: Instant, until: Instant? = nil, now: Instant? = nil) {
        state.withLock { state in
            if state.revoked.note(id, at: notedAt, until: until, now: now) { state.slots.forget(id) }
        }
    }

    package func forgetAll() { _ = state.withLock { $0.slots.forgetAll() } }

    private func lookUp(_ token: String, at now: Instant) -> (SHA256Digest, UInt64, VerifiedToken?) {
        var (hasher, token) = (SHA256(), token)
        token.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hasher.finalize()
        return state.withLock { (digest, $0.slots.epoch, $0.slots.token(for: digest, at: now)) }
    }

    /// - Returns: Whether the token is revoked, and not stored.
    private func store(_ token: VerifiedToken, _ digest: SHA256Digest, _ epoch: UInt64, at now: Instant) -> Bool {
        state.withLock { state in
            if state.revoked.contains(token.claims, at: now) { return true }
            // A token within the leeway is accepted, but not stored.
            if state.slots.epoch == epoch, token.claims.isLive(at: now) { state.slots.store(token, for: digest) }
            return false
        }
    }
}
