import Foundation

extension TokenRefreshCoordinator {
    /// Makes sure that a session could be kept, before the server is asked for one.
    ///
    /// - Returns: What ``adopt(_:begun:then:)`` wants back.
    /// - Throws: ``AuthClientError/storeUnavailable(_:)``.
    func beginSignIn() async throws -> Int {
        let begun = wishes
        if case .unavailable(let reason) = await slot.storage.read(slot.refreshKey) {
            throw AuthClientError.storeUnavailable(reason)
        }
        return begun
    }

    /// Signs in, or switches account.
    ///
    /// - Parameter begun: Of ``beginSignIn()``, before the network: a person's later wish wins over this one. (The
    ///   end of the session before it, by the server's word, is no wish.)
    /// - Throws: ``AuthClientError``: `storeUnavailable` or `storeFailed`, and whoever was signed in still is;
    ///   `signedOut` or `sessionChanged` when somebody signed out or in meanwhile.
    func adopt(_ timed: TimedAnswer, begun: Int, then further: AuthChangeEvent? = nil) async throws -> Session {
        guard wishes == begun else { throw overtaken }
        let startedIn = advanceEpoch()
        let new = KeptSession(timed, generation: newID(), lineage: newID())
        do {
            try await locked { try await self.gate.run { try await self.landSignIn(new, startedIn, then: further) } }
        } catch is Superseded {
            throw overtaken
        }
        return new.session
    }

    private func landSignIn(_ new: KeptSession, _ startedIn: Int, then further: AuthChangeEvent?) async throws {
        try check(startedIn)
        let result = try await slot.save(new.stored, replacing: nil)
        try check(startedIn)
        if case .savedWithoutAccessToken(let reason) = result { notify(.storeFailed(reason)) }
        wishes += 1
        change(.signedIn(new), event: .signedIn)
        if let further { send(further) }
    }

    /// Signs out in memory at once; then in the store, without waiting for another process that refreshes; then
    /// again under the lock, because that process may have written meanwhile.
    ///
    /// - Parameters:
    ///   - reason: All but `requested` is no wish: a sign-in under way goes on.
    ///   - expected: The epoch of the session that is meant; a later one stays as it is. Nil for whichever is there.
    /// - Returns: The session that was there, with its newest tokens, and what kept it in the store if something did.
    func signOut(
        _ reason: SignedOutReason, of expected: Int? = nil
    ) async -> (KeptSession?, AuthClientError?) {
        // What is lost: that the store does not answer. Then there is no session to revoke, and the removal says so.
        try? await restore()
        if let expected, epoch != expected { return (nil, nil) }
        let old = kept
        let wasSignedOut = if case .signedOut = state { true } else { false }
        if reason == .requested { wishes += 1 }
        let startedIn = advanceEpoch()
        change(.signedOut(reason), event: wasSignedOut ? nil : .signedOut(reason))
        do {
            let stored = try await gate.run { try await self.takeStored(startedIn) }
            let lineages = [old?.lineage, stored?.lineage].compactMap { $0 }
            if !lineages.isEmpty {
                try await locked { try await self.gate.run { try await self.clear(lineages) } }
            }
            return (stored ?? old, nil)
        } catch let error as AuthClientError {
            return (old, error)
        } catch {
            return (old, .storeFailed(error.shortText))
        }
    }

    /// Whose session it is now, with the epoch that a later change has to name.
    func owner() async -> (user: User, epoch: Int)? {
        // What is lost: that the store does not answer. Then nobody knows of a session.
        try? await restore()
        return kept.map { ($0.session.user, epoch) }
    }

    /// Clears the slot.
    ///
    /// - Returns: What was there. Another process may have refreshed it: revoked with the token from before, it would
    ///   look like theft to the server.
    private func takeStored(_ startedIn: Int) async throws -> KeptSession? {
        // Who signed in since has replaced the session already.
        guard epoch == startedIn else { return nil }
        let content = await slot.load()
        try await slot.clear()
        guard case .session(let stored) = content else { return nil }
        return KeptSession(stored, now: clock.now(), uptime: clock.uptime())
    }

    private func clear(_ lineages: [String]) async throws {
        switch await slot.load() {
        case .session(let stored) where lineages.contains(stored.lineage): try await slot.clear()
        // It may be there again.
        case .unavailable(let reason): throw AuthClientError.storeFailed(reason)
        case .session, .absent, .damaged: break
        }
    }

    /// The server's newer word about the user of the session.
    ///
    /// - Parameter startedIn: The epoch in which the call was made; a later one drops the answer.
    func replace(_ user: User, startedIn: Int, event: AuthChangeEvent?) async {
        guard epoch == startedIn, var now = kept, now.session.user.id == user.id, now.session.user != user else {
            if epoch == startedIn, let event { send(event) }
            return
        }
        now.session.user = user
        change(.signedIn(now), event: event)
        do {
            try await locked { try await self.gate.run { try await self.save(user, startedIn) } }
        } catch {
            notify(.storeFailed(error.shortText))
        }
    }

    private func save(_ user: User, _ startedIn: Int) async throws {
        guard epoch == startedIn, let generation = kept?.generation else { return }
        _ = try await slot.save(user, generation: generation)
    }

    /// What the access token says is out of date: the next refresh is not answered from the window.
    func forgetWindow(startedIn: Int) {
        guard epoch == startedIn, var now = kept else { return }
        now.givenAt = nil
        state = .signedIn(now)
    }

    private func locked<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await slot.storage.withLock(body)
        } catch let error as AuthClientError {
            throw error
        } catch let error as Superseded {
            throw error
        } catch {
            throw AuthClientError.storeFailed(error.shortText)
        }
    }
}
