extension TokenRefreshCoordinator {
    /// Keeps the session unless it throws `signedOut`.
    func freshSession() async throws -> AuthSession {
        let kept = try await signedIn()
        if kept.isFresh(at: clock.uptime(), leeway: rules.leeway) { return kept.session }
        do {
            return try await refreshed(.expired)
        } catch let error as AuthClientError {
            // Harmless: the token is still valid.
            if error.leavesTokenUsable, let now = self.kept, now.lineage == kept.lineage,
                now.remaining(at: clock.uptime()) > .zero
            {
                return now.session
            }
            throw error
        }
    }

    /// The app's own request starts a new refresh: one under way may return older claims.
    func refreshedSession(_ reason: RefreshReason, insteadOf token: String? = nil) async throws -> AuthSession {
        let kept = try await signedIn()
        if let token, kept.session.accessToken != token, kept.isFresh(at: clock.uptime(), leeway: .zero) {
            return kept.session
        }
        if reason == .requested {
            if let earlier = flight?.task {
                // Ignored: the next refresh reports it.
                _ = try? await earlier.session()
                try Task.checkCancellation()
                guard try await signedIn().session.user.id == kept.session.user.id else { throw overtaken }
            }
            return try await refreshed(reason)
        }
        let uptime = clock.uptime()
        if let givenAt = kept.givenAt, uptime - givenAt < rules.window, kept.remaining(at: uptime) > .zero {
            return kept.session
        }
        return try await refreshed(reason)
    }

    private func signedIn() async throws -> KeptSession {
        if try await !restore() { try await followStore() }
        switch state {
        case .signedIn(let kept): return kept
        case .signedOut(let reason): throw AuthClientError.signedOut(reason)
        case .restoring: throw AuthClientError.sessionChanged
        }
    }

    private func refreshed(_ reason: RefreshReason) async throws -> AuthSession {
        while raising != nil {
            if let raised = try await sessionAfterRaising() { return raised }
        }
        let session = try await refreshedOnce(reason)
        guard let now = kept, now.session.user.id == session.user.id else { throw overtaken }
        // The device may have slept since the response.
        return now.remaining(at: clock.uptime()) > .zero ? now.session : try await refreshedOnce(reason)
    }

    private func refreshedOnce(_ reason: RefreshReason) async throws -> AuthSession {
        let task: Task<AuthSession, any Error>
        if let flight {
            task = flight.task
        } else {
            if let quiet, clock.uptime() < quiet.until { throw AuthClientError.offline(quiet.cause) }
            let startedIn = epoch
            // Unstructured: a cancelled caller must not lose tokens.
            task = Task {
                try await SessionRefresh(startedIn: startedIn, asksAlways: reason == .requested).run(in: self)
            }
            flight = Flight(epoch: startedIn, task: task)
            notify(.refreshAttempted(reason))
        }
        do {
            return try await task.session()
        } catch is Superseded {
            throw overtaken
        }
    }

    /// - Parameter isOwnFlight: Whether the caller is a refresh or verification with work left.
    func reread(
        _ before: KeptSession, _ startedIn: Int, isOwnFlight: Bool = true
    ) async throws -> KeptSession {
        let content = await slot.load()
        try check(startedIn)
        switch content {
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        // The session in memory is valid; saving repairs the slot.
        case .damaged: return before
        case .session(let stored)
        where stored.generation == before.generation && stored.refreshToken == before.session.refreshToken:
            return adopt(stored.key, of: stored.generation) ?? before
        case .absent:
            advanceEpoch(isOwnFlight: isOwnFlight)
            endedLineage = before.lineage
            change(.signedOut(.signedOutElsewhere), event: .signedOut(.signedOutElsewhere))
            throw AuthClientError.signedOut(.signedOutElsewhere)
        case .session(let stored):
            let theirs = restored(stored)
            guard stored.user.id == before.session.user.id else {
                advanceEpoch(isOwnFlight: isOwnFlight)
                change(.signedIn(theirs), event: .signedIn)
                throw AuthClientError.sessionChanged
            }
            change(.signedIn(theirs), event: .tokenRefreshed)
            return theirs
        }
    }

    /// A concurrent sign-out waits for the gate, then deletes.
    func land(
        _ fresh: KeptSession, replacing generation: String, _ startedIn: Int, event: AuthEvent = .tokenRefreshed
    ) async throws {
        try check(startedIn)
        let isDamaged = await slot.load() == .damaged
        try check(startedIn)
        let result = try await slot.save(fresh.stored, replacing: isDamaged ? nil : generation)
        try check(startedIn)
        switch result {
        case .slotChanged: throw SlotChanged()
        case .saved: break
        case .savedWithoutAccessToken(let problem): notify(.storeFailed(problem))
        }
        quiet = nil
        change(.signedIn(fresh), event: event)
    }

    /// Ends the session, unless another process stored a newer one, which is tried next.
    func end(_ ended: KeptSession, _ refusal: AuthRefusal, _ startedIn: Int) async throws -> any Error {
        let content = await slot.load()
        try check(startedIn)
        if case .session(let stored) = content, stored.generation != ended.generation { return SlotChanged() }
        let reason = SignedOutReason.endedByServer(refusal.code ?? .refreshTokenNotFound, because: refusal.sessionEnd)
        advanceEpoch(isOwnFlight: true)
        endedLineage = ended.lineage
        notify(.sessionEnded(refusal))
        change(.signedOut(reason), event: .signedOut(reason))
        if case .unavailable = content { return AuthClientError.signedOut(reason) }
        do {
            try await slot.clear()
        } catch {
            // The next launch gets the same response.
            notify(.storeFailed(StoreProblem(error)))
        }
        return AuthClientError.signedOut(reason)
    }

    func endedByServer(_ refusal: AuthRefusal, accessToken: String) async throws {
        guard refusal.isFinal, let current = kept, current.session.accessToken == accessToken else { return }
        let startedIn = epoch
        // Ignored: other changes take precedence. Without the lock, the next call gets the same error.
        _ = try? await slot.storage.withLock {
            try await self.gate.run { try await self.end(current, refusal, startedIn) }
        }
    }
}

extension AuthClientError {
    fileprivate var leavesTokenUsable: Bool {
        switch self {
        case .offline, .storeUnavailable: true
        default: false
        }
    }
}
