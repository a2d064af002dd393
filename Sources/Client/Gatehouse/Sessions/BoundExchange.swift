import Foundation

/// Exchanges refresh tokens of sessions that are bound to a key of this device (RFC 9449).
struct BoundExchange: Sendable {
    let keys: DeviceKeys
    let proofs: KeyProofs
    let send: @Sendable (_ refreshToken: String, OpenKey?) async throws -> TimedAnswer

    /// The session is bound to a key that this device does not have.
    struct KeyIsLost: Error {
        let refusal: AuthRefusal
    }

    /// Refreshes with a proof of the session's key. A session without one gets it here.
    ///
    /// - Throws: ``KeyIsLost``, which the server has confirmed: it refused the key's proofs, or there was no usable
    ///   key, and then the token alone.
    func answer(
        for current: KeptSession, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> TimedAnswer {
        let token = current.session.refreshToken
        proofs.assume(serverAhead: current.serverAhead)
        guard let stored = try await key(of: current, startedIn, in: coordinator) else {
            return try await exchanged(token, nil, startedIn, in: coordinator)
        }
        let key: OpenKey
        do throws(KeyProblem) { key = OpenKey(stored: stored, signer: try keys.open(stored)) } catch {
            if case .unavailable(let problem) = error { throw AuthClientError.storeUnavailable(problem) }
            return try await exchangedWithoutKey(token, startedIn, in: coordinator)
        }
        do {
            return try await exchangedTwice(token, key, startedIn, in: coordinator)
        } catch is KeyProblem {
            return try await exchangedWithoutKey(token, startedIn, in: coordinator)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof && !stored.isBound {
            // Another device's session, or the server has another URL than the client's.
            let timed = try await exchangedWithoutKey(token, startedIn, in: coordinator)
            proofs.stop()
            return timed
        }
    }

    /// Once more with a newer proof: another process's clock may be ahead, or the network sent the request twice.
    private func exchangedTwice(
        _ token: String, _ key: OpenKey, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> TimedAnswer {
        do {
            return try await exchanged(token, key, startedIn, in: coordinator)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof {
            proofs.skip()
            return try await exchanged(token, key, startedIn, in: coordinator)
        }
    }

    private func exchangedWithoutKey(
        _ token: String, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> TimedAnswer {
        do {
            return try await exchanged(token, nil, startedIn, in: coordinator)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof {
            var lost = refusal
            lost.code = .deviceKeyLost
            throw KeyIsLost(refusal: lost)
        }
    }

    private func exchanged(
        _ token: String, _ key: OpenKey?, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> TimedAnswer {
        try await coordinator.exchanged(startedIn) { [send] in try await send(token, key) }
    }

    /// Stores a new key before the server learns it: if the response is lost, the session is bound to a key that the
    /// next attempt has.
    private func key(
        of current: KeptSession, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> StoredKey? {
        if let key = current.key { return key }
        guard !proofs.areRefused, let key = keys.make() else { return nil }
        return try await Task { [gate = coordinator.gate] in
            try await gate.run { try await keep(key, of: current, startedIn, in: coordinator) }
        }.value
    }

    /// - Returns: nil if the slot has another session, or a damaged one, which the refresh replaces.
    private func keep(
        _ key: StoredKey, of current: KeptSession, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> StoredKey? {
        try coordinator.check(startedIn)
        let isSaved = try await coordinator.slot.save(key, generation: current.generation)
        try coordinator.check(startedIn)
        guard isSaved else { return nil }
        coordinator.adopt(key, of: current.generation)
        return key
    }
}
