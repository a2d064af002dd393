import Foundation

/// Taken from the store by a sign-out, for the server to revoke.
struct Ending: Sendable {
    /// With its newest tokens.
    var session: KeptSession?
    /// Such as a crash's leftover.
    var others: [KeptSession] = []
    /// Why the store kept a session or entry.
    var failure: AuthClientError?
}

// Holds the store's lock, because another process may activate an account.
extension ParkedAccounts {
    /// Signs out the account in use: first in memory; then in the store its copy, session and entry. An account that
    /// another process activated stays.
    func signOut(in coordinator: isolated TokenRefreshCoordinator) async -> Ending {
        let user = await coordinator.owner()?.user.id
        let old = coordinator.kept
        let wasSignedOut = if case .signedOut = coordinator.state { true } else { false }
        let wasRestoring = if case .restoring = coordinator.state { true } else { false }
        coordinator.wishes += 1
        let startedIn = coordinator.advanceEpoch()
        coordinator.endedLineage = old?.lineage ?? coordinator.endedLineage
        // The store's content is unknown yet.
        if wasRestoring { coordinator.hasEndedUnread = true }
        coordinator.ownChanges += 1
        defer { coordinator.ownChanges -= 1 }
        coordinator.change(.signedOut(.requested), event: wasSignedOut ? nil : .signedOut(.requested))
        do {
            return try await coordinator.locked {
                await coordinator.gate.run { await take(user ?? old?.session.user.id, old, startedIn, in: coordinator) }
            }
        } catch let error as AuthClientError {
            return Ending(session: old, failure: error)
        } catch {
            return Ending(session: old, failure: .storeFailed(StoreProblem(error)))
        }
    }

    private func take(
        _ user: UUID?, _ old: KeptSession?, _ startedIn: Int, in coordinator: isolated TokenRefreshCoordinator
    ) async -> Ending {
        let content = await coordinator.slot.load()
        let stored = ended(content, user, old, isCurrent: coordinator.epoch == startedIn, in: coordinator)
        var ending = Ending(session: stored ?? old)
        do {
            let id = stored?.session.user.id ?? user
            if let id { try await takeCopy(id, isInUse: stored != nil, into: &ending, in: coordinator) }
            if let stored {
                coordinator.endedLineage = stored.lineage
                try await coordinator.slot.clear()
                coordinator.hasEndedUnread = false
            } else if coordinator.epoch == startedIn {
                try await clearUnread(content, in: coordinator)
            }
            if let id, try await coordinator.inUse()?.user.id != id { try await remove(id) }
        } catch let error as AuthClientError {
            ending.failure = error
        } catch {
            ending.failure = .storeFailed(StoreProblem(error))
        }
        return ending
    }

    /// The slot's session, unless a later sign-in replaced it.
    private func ended(
        _ content: SessionSlot.Content, _ user: UUID?, _ old: KeptSession?, isCurrent: Bool,
        in coordinator: isolated TokenRefreshCoordinator
    ) -> KeptSession? {
        guard case .session(let stored) = content else { return nil }
        let isSame = stored.lineage == old?.lineage || stored.lineage == coordinator.endedLineage
        let isExpected = isCurrent && (user == nil || stored.user.id == user)
        return isSame || isExpected ? coordinator.restored(stored) : nil
    }

    private func clearUnread(
        _ content: SessionSlot.Content, in coordinator: isolated TokenRefreshCoordinator
    ) async throws {
        switch content {
        case .unavailable: coordinator.hasEndedUnread = true
        case .damaged, .absent: break
        case .session: return
        }
        try await coordinator.slot.clear()
        coordinator.hasEndedUnread = false
    }

    /// Deletes the account's parked session: a copy, an earlier one, or its only one if another process parked it.
    ///
    /// - Parameter isInUse: Whether the client's slot has newer tokens.
    private func takeCopy(
        _ id: UUID, isInUse: Bool, into ending: inout Ending, in coordinator: isolated TokenRefreshCoordinator
    ) async throws {
        if case .session(let copy) = await load(id) {
            if copy.lineage != ending.session?.lineage {
                ending.others.append(coordinator.restored(copy))
            } else if !isInUse {
                ending.session = coordinator.restored(copy)
            }
        }
        try await slot(id).clear()
    }

    /// Returns a deleted parked account's session, for the server to revoke.
    func remove(_ id: UUID, in coordinator: isolated TokenRefreshCoordinator) async throws -> KeptSession? {
        try await coordinator.locked {
            try await coordinator.gate.run { try await removeLocked(id, in: coordinator) }
        }
    }

    private func removeLocked(
        _ id: UUID, in coordinator: isolated TokenRefreshCoordinator
    ) async throws -> KeptSession? {
        guard try await coordinator.inUse()?.user.id != id else { return nil }
        let content = await load(id)
        try await remove(id)
        if case .session(let stored) = content { return coordinator.restored(stored) }
        return nil
    }
}
