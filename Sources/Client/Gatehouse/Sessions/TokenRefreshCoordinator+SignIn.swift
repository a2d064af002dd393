import Foundation

extension TokenRefreshCoordinator {
    /// Checks the store before the server creates a session.
    func beginSignIn() async throws -> Int {
        let begun = wishes
        if case .unavailable(let reason) = await slot.storage.read(slot.refreshKey) {
            throw AuthClientError.storeUnavailable(reason)
        }
        return begun
    }

    /// Signs in, or switches the account.
    ///
    /// - Parameter begun: From ``beginSignIn()``. The app's later sign-in or sign-out takes precedence, but not the
    ///   previous session's end.
    /// - Throws: `storeUnavailable` or `storeFailed`, and the previous session stays; `signedOut` or `sessionChanged`
    ///   if the app signed out or in.
    func adopt(_ timed: TimedAnswer, begun: Int, then further: AuthEvent? = nil) async throws -> AuthSession {
        try await replace(by: timed, begun: begun, then: further).session
    }

    /// Also returns another user's replaced session.
    func replace(
        by timed: TimedAnswer, begun: Int, then further: AuthEvent?
    ) async throws -> (session: AuthSession, replaced: KeptSession?) {
        guard wishes == begun else { throw overtaken }
        let startedIn = advanceEpoch()
        ownChanges += 1
        defer { ownChanges -= 1 }
        let new = KeptSession(timed, generation: newID(), lineage: newID())
        do {
            let replaced = try await locked {
                try await self.gate.run { try await self.landSignIn(new, startedIn, then: further) }
            }
            return (new.session, replaced)
        } catch is Superseded {
            throw overtaken
        }
    }

    private func landSignIn(
        _ new: KeptSession, _ startedIn: Int, then further: AuthEvent?
    ) async throws -> KeptSession? {
        try check(startedIn)
        let before = await slot.load()
        try check(startedIn)
        let result = try await slot.save(new.stored, replacing: nil)
        try check(startedIn)
        if case .savedWithoutAccessToken(let problem) = result { notify(.storeFailed(problem)) }
        wishes += 1
        hasEndedUnread = false
        change(.signedIn(new), event: .signedIn)
        if let further { send(further) }
        guard case .session(let old) = before, old.user.id != new.session.user.id else { return nil }
        return restored(old)
    }

    /// Signs out in memory; in the store, without waiting for another process's refresh; and there again under the
    /// lock, in case that process wrote.
    ///
    /// - Parameters:
    ///   - reason: Only `requested` interrupts a sign-in in progress.
    ///   - expected: The epoch of the session to end; nil for any.
    /// - Returns: The session with its newest tokens, and the error if the store kept it.
    func signOut(
        _ reason: SignedOutReason, of expected: Int? = nil
    ) async -> (KeptSession?, AuthClientError?) {
        // Ignored: deleting reports the error.
        try? await restore()
        if let expected, epoch != expected { return (nil, nil) }
        let old = kept
        let wasSignedOut = if case .signedOut = state { true } else { false }
        if reason == .requested { wishes += 1 }
        let startedIn = advanceEpoch()
        endedLineage = old?.lineage ?? endedLineage
        ownChanges += 1
        defer { ownChanges -= 1 }
        change(.signedOut(reason), event: wasSignedOut ? nil : .signedOut(reason))
        do {
            let stored = try await gate.run { try await self.takeStored(startedIn) }
            let lineages = [old?.lineage, stored?.lineage].compactMap { $0 }
            if !lineages.isEmpty {
                try await locked { try await self.gate.run { try await self.slot.clear(lineages) } }
            }
            return (stored ?? old, nil)
        } catch let error as AuthClientError {
            return (old, error)
        } catch {
            return (old, .storeFailed(StoreProblem(error)))
        }
    }

    func owner() async -> (user: AuthUser, epoch: Int)? {
        // Ignored: there is no known session.
        try? await restore()
        // Ignored: `kept` already reflects another process's change.
        try? await followStore()
        return kept.map { ($0.session.user, epoch) }
    }

    /// Returns the stored session, which another process may have refreshed: revoking the older token would look like
    /// theft.
    private func takeStored(_ startedIn: Int) async throws -> KeptSession? {
        // A later sign-in replaced the session.
        guard epoch == startedIn else { return nil }
        let content = await slot.load()
        if case .session(let stored) = content { endedLineage = stored.lineage }
        if case .unavailable = content { hasEndedUnread = true }
        try await slot.clear()
        hasEndedUnread = false
        guard case .session(let stored) = content else { return nil }
        return restored(stored)
    }

    /// Only in the epoch `startedIn`.
    func replace(_ user: AuthUser, startedIn: Int, event: AuthEvent?) async {
        guard epoch == startedIn, var now = kept, now.session.user.id == user.id, now.session.user != user else {
            if epoch == startedIn, let event { send(event) }
            return
        }
        now.session.user = user
        change(.signedIn(now), event: event)
        do {
            try await locked { try await self.gate.run { try await self.save(user, startedIn) } }
        } catch {
            notify(.storeFailed(StoreProblem(error)))
        }
    }

    func remove(identity id: UUID, startedIn: Int) async {
        guard var user = kept?.session.user else { return }
        user.identities?.removeAll { $0.identityID == id }
        await replace(user, startedIn: startedIn, event: nil)
        forgetWindow(startedIn: startedIn)
    }

    private func save(_ user: AuthUser, _ startedIn: Int) async throws {
        guard epoch == startedIn, let generation = kept?.generation else { return }
        _ = try await slot.save(user, generation: generation)
    }

    /// The access token's claims are outdated.
    func forgetWindow(startedIn: Int) {
        guard epoch == startedIn, var now = kept else { return }
        now.givenAt = nil
        state = .signedIn(now)
    }

    /// In separate tasks: neither cancellation nor suspension may lose a created session or keep an ended one.
    func locked<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await Task { [slot] in
                try await slot.storage.withLock { try await Task { try await body() }.value }
            }.value
        } catch let error as AuthClientError {
            throw error
        } catch let error as Superseded {
            throw error
        } catch {
            throw AuthClientError.storeFailed(StoreProblem(error))
        }
    }
}
