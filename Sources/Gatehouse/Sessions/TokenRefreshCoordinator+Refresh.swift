import Foundation

extension TokenRefreshCoordinator {
    /// A failure that the next try may not meet.
    private struct Passing: Error {
        let cause: OfflineCause
        let retryAfter: Duration?
    }

    /// The slot changed between the read and the write: read again.
    private struct SlotChanged: Error {}

    /// The session, refreshed first when its access token has less than the leeway left.
    ///
    /// - Throws: ``AuthClientError``: `signedOut`, `storeUnavailable`, `storeFailed`, `offline`, `sessionChanged`,
    ///   `refused`, `unexpectedAnswer`. The session is kept in all cases but the first.
    func freshSession() async throws -> Session {
        let kept = try await signedIn()
        if kept.isFresh(at: clock.uptime(), leeway: rules.leeway) { return kept.session }
        do {
            return try await refreshed(.expired)
        } catch let error as AuthClientError {
            // Ahead of expiry a failure hurts nobody yet.
            if error.leavesTokenUsable, let now = self.kept, now.lineage == kept.lineage,
                now.remaining(at: clock.uptime()) > .zero
            {
                return now.session
            }
            throw error
        }
    }

    /// Another access token than the one in use, unless that one was given just now.
    func refreshedSession(_ reason: RefreshReason, insteadOf token: String? = nil) async throws -> Session {
        let kept = try await signedIn()
        if let token, kept.session.accessToken != token, kept.isFresh(at: clock.uptime(), leeway: .zero) {
            return kept.session
        }
        let uptime = clock.uptime()
        if let givenAt = kept.givenAt, uptime - givenAt < rules.window, kept.remaining(at: uptime) > .zero {
            return kept.session
        }
        return try await refreshed(reason)
    }

    private func signedIn() async throws -> KeptSession {
        try await restore()
        switch state {
        case .signedIn(let kept): return kept
        case .signedOut(let reason): throw AuthClientError.signedOut(reason)
        case .restoring: throw AuthClientError.sessionChanged
        }
    }

    private func refreshed(_ reason: RefreshReason) async throws -> Session {
        let session = try await refreshedOnce(reason)
        guard let now = kept, now.session.user.id == session.user.id else { throw overtaken }
        // Between the answer and now the device may have slept for hours.
        return now.remaining(at: clock.uptime()) > .zero ? now.session : try await refreshedOnce(reason)
    }

    /// Joins the refresh under way, or starts it.
    private func refreshedOnce(_ reason: RefreshReason) async throws -> Session {
        let task: Task<Session, any Error>
        if let flight {
            task = flight.task
        } else {
            if let quiet, clock.uptime() < quiet.until { throw AuthClientError.offline(quiet.cause) }
            let startedIn = epoch
            // Unstructured on purpose: the cancellation of one caller must not lose a rotated token.
            task = Task { try await self.fly(startedIn) }
            flight = Flight(epoch: startedIn, task: task)
            notify(.refreshAttempted(reason))
        }
        do {
            return try await task.value
        } catch is Superseded {
            throw overtaken
        }
    }

    /// One refresh with its further tries. The store's lock is free while it waits between them.
    private func fly(_ startedIn: Int) async throws -> Session {
        defer { if flight?.epoch == startedIn { flight = nil } }
        do {
            return try await tries(startedIn)
        } catch let error as AuthClientError {
            notify(.refreshFailed(error))
            throw error
        } catch is Superseded {
            throw Superseded()
        } catch {
            // The store's lock could not be had.
            try check(startedIn)
            notify(.refreshFailed(.storeUnavailable(error.shortText)))
            throw AuthClientError.storeUnavailable(error.shortText)
        }
    }

    private func tries(_ startedIn: Int) async throws -> Session {
        var failures = 0
        while true {
            do {
                return try await slot.storage.withLock { try await self.attempt(startedIn) }
            } catch let failure as Passing {
                try check(startedIn)
                guard let wait = rules.wait(failures: failures, retryAfter: failure.retryAfter, random: random()) else {
                    if let pause = failure.retryAfter { quiet = (clock.uptime() + pause, failure.cause) }
                    throw AuthClientError.offline(failure.cause)
                }
                failures += 1
                // A sleep that is cancelled was superseded; `check` says so.
                do { try await clock.sleep(wait) } catch { try check(startedIn) }
                try check(startedIn)
            } catch is SlotChanged {
                try check(startedIn)
            }
        }
    }

    private func random() -> Double {
        Double(randomBytes(2).reduce(0) { $0 << 8 | Int($1) }) / 65_536
    }

    /// One try, under the store's lock: read again, ask, save, then let it be seen.
    private func attempt(_ startedIn: Int) async throws -> Session {
        try check(startedIn)
        guard let before = kept else { throw Superseded() }
        let current = try await gate.run { try await self.reread(before, startedIn) }
        if current.generation != before.generation, current.isFresh(at: clock.uptime(), leeway: rules.leeway) {
            return current.session
        }
        let timed: TimedAnswer
        do {
            timed = try await exchanged(current.session.refreshToken, startedIn)
        } catch AuthClientError.refused(let refusal) where refusal.isFinal {
            throw try await gate.run { try await self.end(current, refusal, startedIn) }
        } catch {
            throw Self.passing(error)
        }
        guard timed.answer.user.id == current.session.user.id else {
            throw AuthClientError.unexpectedAnswer("a refresh answered with another user")
        }
        let fresh = KeptSession(timed, generation: newID(), lineage: current.lineage)
        try await gate.run { try await self.land(fresh, replacing: current.generation, startedIn) }
        return fresh.session
    }

    /// What the slot holds now: the session of memory, or what another process made of it.
    private func reread(_ before: KeptSession, _ startedIn: Int) async throws -> KeptSession {
        let content = await slot.load()
        try check(startedIn)
        switch content {
        case .unavailable(let reason): throw AuthClientError.storeUnavailable(reason)
        // What memory holds is good, and the save mends the slot.
        case .damaged: return before
        case .session(let stored)
        where stored.generation == before.generation && stored.refreshToken == before.session.refreshToken:
            return kept ?? before
        case .absent:
            advanceEpoch(isOwnFlight: true)
            change(.signedOut(.signedOutElsewhere), event: .signedOut(.signedOutElsewhere))
            throw AuthClientError.signedOut(.signedOutElsewhere)
        case .session(let stored):
            let theirs = KeptSession(stored, now: clock.now(), uptime: clock.uptime())
            guard stored.user.id == before.session.user.id else {
                advanceEpoch(isOwnFlight: true)
                change(.signedIn(theirs), event: .signedIn)
                throw AuthClientError.sessionChanged
            }
            change(.signedIn(theirs), event: .tokenRefreshed)
            return theirs
        }
    }

    /// Saves, then shows. A sign-out that came meanwhile waits for the gate and removes what was written.
    private func land(_ fresh: KeptSession, replacing generation: String, _ startedIn: Int) async throws {
        try check(startedIn)
        let isDamaged = await slot.load() == .damaged
        try check(startedIn)
        let result = try await slot.save(fresh.stored, replacing: isDamaged ? nil : generation)
        try check(startedIn)
        switch result {
        case .slotChanged: throw SlotChanged()
        case .saved: break
        case .savedWithoutAccessToken(let reason): notify(.storeFailed(reason))
        }
        quiet = nil
        change(.signedIn(fresh), event: .tokenRefreshed)
    }

    /// The server said that the session is over. Another process may have put a newer one into the slot meanwhile;
    /// then that one is tried.
    private func end(_ ended: KeptSession, _ refusal: AuthRefusal, _ startedIn: Int) async throws -> any Error {
        let content = await slot.load()
        try check(startedIn)
        if case .session(let stored) = content, stored.generation != ended.generation { return SlotChanged() }
        let reason = SignedOutReason.endedByServer(refusal.code ?? .unknown)
        advanceEpoch(isOwnFlight: true)
        change(.signedOut(reason), event: .signedOut(reason))
        if case .unavailable = content { return AuthClientError.signedOut(reason) }
        do {
            try await slot.clear()
        } catch {
            // The next start finds the session, asks the server, and hears the same word.
            notify(.storeFailed(error.shortText))
        }
        return AuthClientError.signedOut(reason)
    }

    /// Ends the session because a call with its own access token was refused for good.
    func endedByServer(_ refusal: AuthRefusal, accessToken: String) async throws {
        guard refusal.isFinal, let current = kept, current.session.accessToken == accessToken else { return }
        let startedIn = epoch
        // What is lost: that the slot holds another session, or that somebody signed in or out; both decide for us. Or
        // that the lock could not be had: then the next call hears the same word.
        _ = try? await slot.storage.withLock {
            try await self.gate.run { try await self.end(current, refusal, startedIn) }
        }
    }

    private static func passing(_ error: any Error) -> any Error {
        switch error {
        case is Superseded: error
        case AuthClientError.refused(let refusal) where refusal.isPassing:
            Passing(cause: .status(refusal.status), retryAfter: refusal.retryAfter)
        case AuthClientError.unexpectedAnswer(let text): Passing(cause: .notUnderstood(text), retryAfter: nil)
        case AuthClientError.offline(let cause): Passing(cause: cause, retryAfter: nil)
        case is AuthClientError: error
        default: Passing(cause: .noAnswer(error.shortText), retryAfter: nil)
        }
    }
}

// Waiting for the network so that an epoch's end ends the wait, whether or not the transport can be cancelled.
extension TokenRefreshCoordinator {
    private func exchanged(_ refreshToken: String, _ startedIn: Int) async throws -> TimedAnswer {
        try check(startedIn)
        exchangeCount += 1
        let id = exchangeCount
        let exchange = exchange
        let call = Task { try await exchange(refreshToken) }
        return try await withCheckedThrowingContinuation { waiter in
            awaited = AwaitedExchange(id: id, waiter: waiter, call: call)
            Task { self.arrived(await call.result, id) }
        }
    }

    private func arrived(_ result: Result<TimedAnswer, any Error>, _ id: Int) {
        guard let awaited, awaited.id == id else { return }
        self.awaited = nil
        awaited.waiter.resume(with: result)
    }
}

extension AuthClientError {
    /// Whether a token that has not quite expired can still be given out.
    fileprivate var leavesTokenUsable: Bool {
        switch self {
        case .offline, .storeUnavailable: true
        default: false
        }
    }
}
