import Foundation

// Sessions that are bound to a key of this device (RFC 9449).
extension TokenRefreshCoordinator {
    /// The session is bound to a key that this device does not have.
    struct KeyIsLost: Error {
        let refusal: AuthRefusal
    }

    /// Refreshes with a proof of the session's key. A session without one gets it here.
    ///
    /// - Throws: ``KeyIsLost``, which the server has confirmed: it refused the key's proofs, or there was no usable
    ///   key, and then the token alone.
    func exchangedWithKey(_ current: KeptSession, _ startedIn: Int) async throws -> TimedAnswer {
        let token = current.session.refreshToken
        proofs.assume(serverAhead: current.serverAhead)
        guard let stored = try await key(of: current, startedIn) else {
            return try await exchanged(token, nil, startedIn)
        }
        let key: OpenKey
        do throws(KeyProblem) { key = OpenKey(stored: stored, signer: try keys.open(stored)) } catch {
            if case .unavailable(let problem) = error { throw AuthClientError.storeUnavailable(problem) }
            return try await exchangedWithoutKey(token, startedIn)
        }
        do {
            return try await exchangedTwice(token, key, startedIn)
        } catch is KeyProblem {
            return try await exchangedWithoutKey(token, startedIn)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof && !stored.isBound {
            // Another device's session, or the server has another URL than the client's.
            let timed = try await exchangedWithoutKey(token, startedIn)
            proofs.stop()
            return timed
        }
    }

    /// Once more with a newer proof: another process's clock may be ahead, or the network sent the request twice.
    private func exchangedTwice(_ token: String, _ key: OpenKey, _ startedIn: Int) async throws -> TimedAnswer {
        do {
            return try await exchanged(token, key, startedIn)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof {
            proofs.skip()
            return try await exchanged(token, key, startedIn)
        }
    }

    private func exchangedWithoutKey(_ token: String, _ startedIn: Int) async throws -> TimedAnswer {
        do {
            return try await exchanged(token, nil, startedIn)
        } catch AuthClientError.refused(let refusal) where refusal.isAboutProof {
            var lost = refusal
            lost.code = .deviceKeyLost
            throw KeyIsLost(refusal: lost)
        }
    }

    private func exchanged(_ token: String, _ key: OpenKey?, _ startedIn: Int) async throws -> TimedAnswer {
        let exchange = exchange
        return try await exchanged(startedIn) { try await exchange(token, key) }
    }

    /// Stores a new key before the server learns it: if the response is lost, the session is bound to a key that the
    /// next attempt has.
    private func key(of current: KeptSession, _ startedIn: Int) async throws -> StoredKey? {
        if let key = current.key { return key }
        guard !proofs.areRefused, let key = keys.make() else { return nil }
        return try await Task { [gate] in
            try await gate.run { try await self.keep(key, of: current, startedIn) }
        }.value
    }

    /// - Returns: nil if the slot has another session, or a damaged one, which the refresh replaces.
    private func keep(_ key: StoredKey, of current: KeptSession, _ startedIn: Int) async throws -> StoredKey? {
        try check(startedIn)
        let isSaved = try await slot.save(key, generation: current.generation)
        try check(startedIn)
        guard isSaved else { return nil }
        adopt(key, of: current.generation)
        return key
    }

    /// Another process's new key, for example.
    @discardableResult
    func adopt(_ key: StoredKey?, of generation: String) -> KeptSession? {
        guard var now = kept, now.generation == generation else { return nil }
        now.key = key
        state = .signedIn(now)
        return now
    }
}
