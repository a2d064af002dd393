import Foundation

struct Activation: Sendable {
    var session: AuthSession
    /// The sessions no longer stored.
    var ended: [KeptSession]
}

// The lock precedes the epoch: a refresh must reach the store before its session is copied.
extension TokenRefreshCoordinator {
    /// Signs in, and parks the current account, which stays if it throws.
    func add(
        _ timed: TimedAnswer, begun: Int, then further: AuthEvent?, to parked: ParkedAccounts
    ) async throws -> Activation {
        let new = KeptSession(timed, generation: newID(), lineage: newID())
        do {
            return try await locked {
                try await self.gate.run {
                    // An earlier sign-in to the same account.
                    let earlier: StoredSession? =
                        if case .session(let stored) = await parked.load(new.session.user.id) { stored } else { nil }
                    var activation = try await self.put(new, parked, begun, then: further)
                    if let earlier { activation.ended.append(await self.restored(earlier)) }
                    return activation
                }
            }
        } catch is Superseded {
            throw overtaken
        }
    }

    /// Activates a parked account, and parks the current one, which stays if it throws. `signedOut`: the account has no
    /// session here.
    func activate(_ id: UUID, from parked: ParkedAccounts) async throws -> Activation {
        let begun = wishes
        do {
            return try await locked {
                try await self.gate.run { try await self.landActivation(id, parked, begun) }
            }
        } catch is Superseded {
            throw overtaken
        }
    }

    private func landActivation(_ id: UUID, _ parked: ParkedAccounts, _ begun: Int) async throws -> Activation {
        if case .session(let stored) = await slot.load(), stored.user.id == id, !hasEnded(stored) {
            // Another process activated it.
            let active = restored(stored)
            if kept?.generation != stored.generation {
                advanceEpoch()
                change(.signedIn(active), event: .signedIn)
            }
            return Activation(session: active.session, ended: [])
        }
        switch await parked.load(id) {
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .session(let stored) where stored.lineage != endedLineage:
            var next = restored(stored)
            next.generation = newID()
            return try await put(next, parked, begun, then: nil)
        case .session, .absent, .damaged: throw AuthClientError.signedOut(.neverSignedIn)
        }
    }

    /// Parks the current session, writes the next, deletes the next one's copy.
    private func put(
        _ next: KeptSession, _ parked: ParkedAccounts, _ begun: Int, then further: AuthEvent?
    ) async throws -> Activation {
        guard wishes == begun else { throw Superseded() }
        let startedIn = advanceEpoch()
        ownChanges += 1
        defer { ownChanges -= 1 }
        let before = try await inUse()
        let isOther = before.map { $0.user.id != next.session.user.id } ?? false
        // Users of anonymous accounts could not sign in again. An account whose sign-out could not reach the store must
        // not return.
        let isKept = isOther && before.map { !$0.user.isAnonymous && !hasEnded($0) } ?? false
        let leaving = isKept ? before : nil
        do {
            try check(startedIn)
            try await parked.park(leaving, for: next.session.user)
            try check(startedIn)
            try await land(next, startedIn, insteadOf: before)
        } catch {
            if let leaving { await forget(leaving.user.id, in: parked) }
            throw error
        }
        wishes += 1
        hasEndedUnread = false
        change(.signedIn(next), event: .signedIn)
        if let further { send(further) }
        await forget(next.session.user.id, in: parked)
        let ended = leaving == nil && before?.lineage != next.lineage ? before.map { restored($0) } : nil
        return Activation(session: next.session, ended: [ended].compactMap(\.self))
    }

    /// With the newest tokens of any process.
    func inUse() async throws -> StoredSession? {
        switch await slot.load() {
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .session(let stored): stored
        case .damaged: kept?.stored
        case .absent: nil
        }
    }

    private func land(_ next: KeptSession, _ startedIn: Int, insteadOf before: StoredSession?) async throws {
        let result = try await slot.save(next.stored, replacing: nil)
        do {
            try check(startedIn)
        } catch {
            // The app signed out the previous account: its session belongs in the slot.
            if let before { _ = try await slot.save(before, replacing: next.generation) }
            throw error
        }
        if case .savedWithoutAccessToken(let problem) = result { notify(.storeFailed(problem)) }
    }

    /// Deletes the active session's copy. A leftover is never used; the next change deletes it.
    private func forget(_ id: UUID, in parked: ParkedAccounts) async {
        do { try await parked.slot(id).clear() } catch { notify(.storeFailed(StoreProblem(error))) }
    }

    /// Whether the app signed out this session, which the store kept.
    private func hasEnded(_ stored: StoredSession) -> Bool { stored.lineage == endedLineage || hasEndedUnread }

    func restored(_ stored: StoredSession) -> KeptSession {
        KeptSession(stored, now: clock.now(), uptime: clock.uptime())
    }
}

extension TokenRefreshCoordinator {
    func accounts(of parked: ParkedAccounts) async throws -> [DeviceAccount] {
        try await restore()
        let active = await owner()?.user
        return try await gate.run {
            var accounts = try await parked.list()
            for index in accounts.indices where accounts[index].id != active?.id {
                switch await parked.load(accounts[index].id) {
                case .session(let stored): accounts[index] = DeviceAccount(stored.user, .signedIn)
                case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
                case .absent, .damaged: break
                }
            }
            guard let active, !active.isAnonymous else { return accounts }
            let shown = DeviceAccount(active, .active)
            if let index = accounts.firstIndex(where: { $0.id == active.id }) {
                accounts[index] = shown
            } else {
                accounts.append(shown)
            }
            return accounts
        }
    }
}
