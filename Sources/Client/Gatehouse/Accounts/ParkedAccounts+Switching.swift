import Foundation

struct Activation: Sendable {
    var session: AuthSession
    /// The sessions no longer stored.
    var ended: [KeptSession]
}

// The lock precedes the epoch: a refresh must reach the store before its session is copied.
extension ParkedAccounts {
    /// Signs in, and parks the current account, which stays if it throws.
    func add(
        _ timed: TimedAnswer, begun: Int, then further: AuthEvent?, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> Activation {
        let new = KeptSession(timed, generation: coordinator.newID(), lineage: coordinator.newID())
        do {
            return try await coordinator.locked {
                try await coordinator.gate.run {
                    // An earlier sign-in to the same account.
                    let earlier: StoredSession? =
                        if case .session(let stored) = await load(new.session.user.id) { stored } else { nil }
                    var activation = try await put(new, begun, then: further, in: coordinator)
                    if let earlier { activation.ended.append(await coordinator.restored(earlier)) }
                    return activation
                }
            }
        } catch is Superseded {
            throw coordinator.overtaken
        }
    }

    /// Activates a parked account, and parks the current one, which stays if it throws. `signedOut`: the account has no
    /// session here.
    func activate(_ id: UUID, in coordinator: isolated TokenRefreshCoordinator) async throws -> Activation {
        let begun = coordinator.wishes
        do {
            return try await coordinator.locked {
                try await coordinator.gate.run { try await landActivation(id, begun, in: coordinator) }
            }
        } catch is Superseded {
            throw coordinator.overtaken
        }
    }

    private func landActivation(
        _ id: UUID, _ begun: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> Activation {
        if case .session(let stored) = await coordinator.slot.load(), stored.user.id == id,
            !coordinator.hasEnded(stored)
        {
            // Another process activated it.
            let active = coordinator.restored(stored)
            if coordinator.kept?.generation != stored.generation {
                coordinator.advanceEpoch()
                coordinator.change(.signedIn(active), event: .signedIn)
            }
            return Activation(session: active.session, ended: [])
        }
        switch await load(id) {
        case .unavailable(let problem): throw AuthClientError.storeUnavailable(problem)
        case .session(let stored) where stored.lineage != coordinator.endedLineage:
            var next = coordinator.restored(stored)
            next.generation = coordinator.newID()
            return try await put(next, begun, then: nil, in: coordinator)
        case .session, .absent, .damaged: throw AuthClientError.signedOut(.neverSignedIn)
        }
    }

    /// Parks the current session, writes the next, deletes the next one's copy.
    private func put(
        _ next: KeptSession, _ begun: Int, then further: AuthEvent?, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> Activation {
        guard coordinator.wishes == begun else { throw Superseded() }
        let startedIn = coordinator.advanceEpoch()
        coordinator.ownChanges += 1
        defer { coordinator.ownChanges -= 1 }
        let before = try await coordinator.inUse()
        let isOther = before.map { $0.user.id != next.session.user.id } ?? false
        // Users of anonymous accounts could not sign in again. An account whose sign-out could not reach the store must
        // not return.
        let isKept = isOther && before.map { !$0.user.isAnonymous && !coordinator.hasEnded($0) } ?? false
        let leaving = isKept ? before : nil
        do {
            try coordinator.check(startedIn)
            try await park(leaving, for: next.session.user)
            try coordinator.check(startedIn)
            try await land(next, startedIn, insteadOf: before, in: coordinator)
        } catch {
            if let leaving { await forget(leaving.user.id, in: coordinator) }
            throw error
        }
        coordinator.wishes += 1
        coordinator.hasEndedUnread = false
        coordinator.change(.signedIn(next), event: .signedIn)
        if let further { coordinator.send(further) }
        await forget(next.session.user.id, in: coordinator)
        let ended = leaving == nil && before?.lineage != next.lineage ? before.map { coordinator.restored($0) } : nil
        return Activation(session: next.session, ended: [ended].compactMap(\.self))
    }

    private func land(
        _ next: KeptSession, _ startedIn: Int, insteadOf before: StoredSession?,
        in coordinator: isolated TokenRefreshCoordinator
    ) async throws {
        let result = try await coordinator.slot.save(next.stored, replacing: nil)
        do {
            try coordinator.check(startedIn)
        } catch {
            // The app signed out the previous account: its session belongs in the slot.
            if let before { _ = try await coordinator.slot.save(before, replacing: next.generation) }
            throw error
        }
        if case .savedWithoutAccessToken(let problem) = result { coordinator.notify(.storeFailed(problem)) }
    }

    /// Deletes the active session's copy. A leftover is never used; the next change deletes it.
    private func forget(_ id: UUID, in coordinator: isolated TokenRefreshCoordinator) async {
        do { try await slot(id).clear() } catch { coordinator.notify(.storeFailed(StoreProblem(error))) }
    }
}

extension ParkedAccounts {
    func accounts(in coordinator: isolated TokenRefreshCoordinator) async throws -> [DeviceAccount] {
        try await coordinator.restore()
        let active = await coordinator.owner()?.user
        return try await coordinator.gate.run {
            var accounts = try await list()
            for index in accounts.indices where accounts[index].id != active?.id {
                switch await load(accounts[index].id) {
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
