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
extension TokenRefreshCoordinator {
    /// Signs out the account in use: first in memory; then in the store its copy, session and entry. An account that
    /// another process activated stays.
    func signOut(from parked: ParkedAccounts) async -> Ending {
        let user = await owner()?.user.id
        let old = kept
        let wasSignedOut = if case .signedOut = state { true } else { false }
        let wasRestoring = if case .restoring = state { true } else { false }
        wishes += 1
        let startedIn = advanceEpoch()
        endedLineage = old?.lineage ?? endedLineage
        // The store's content is unknown yet.
        if wasRestoring { hasEndedUnread = true }
        ownChanges += 1
        defer { ownChanges -= 1 }
        change(.signedOut(.requested), event: wasSignedOut ? nil : .signedOut(.requested))
        do {
            return try await locked {
                await self.gate.run { await self.take(user ?? old?.session.user.id, old, parked, startedIn) }
            }
        } catch let error as AuthClientError {
            return Ending(session: old, failure: error)
        } catch {
            return Ending(session: old, failure: .storeFailed(StoreProblem(error)))
        }
    }

    private func take(_ user: UUID?, _ old: KeptSession?, _ parked: ParkedAccounts, _ startedIn: Int) async -> Ending {
        let content = await slot.load()
        let stored = ended(content, user, old, isCurrent: epoch == startedIn)
        var ending = Ending(session: stored ?? old)
        do {
            let id = stored?.session.user.id ?? user
            if let id { try await takeCopy(id, parked, isInUse: stored != nil, into: &ending) }
            if let stored {
                endedLineage = stored.lineage
                try await slot.clear()
                hasEndedUnread = false
            } else if epoch == startedIn {
                try await clearUnread(content)
            }
            if let id, try await inUse()?.user.id != id { try await parked.remove(id) }
        } catch let error as AuthClientError {
            ending.failure = error
        } catch {
            ending.failure = .storeFailed(StoreProblem(error))
        }
        return ending
    }

    /// The slot's session, unless a later sign-in replaced it.
    private func ended(
        _ content: SessionSlot.Content, _ user: UUID?, _ old: KeptSession?, isCurrent: Bool
    ) -> KeptSession? {
        guard case .session(let stored) = content else { return nil }
        let isSame = stored.lineage == old?.lineage || stored.lineage == endedLineage
        let isExpected = isCurrent && (user == nil || stored.user.id == user)
        return isSame || isExpected ? restored(stored) : nil
    }

    private func clearUnread(_ content: SessionSlot.Content) async throws {
        switch content {
        case .unavailable: hasEndedUnread = true
        case .damaged, .absent: break
        case .session: return
        }
        try await slot.clear()
        hasEndedUnread = false
    }

    /// Deletes the account's parked session: a copy, an earlier one, or its only one if another process parked it.
    ///
    /// - Parameter isInUse: Whether the client's slot has newer tokens.
    private func takeCopy(
        _ id: UUID, _ parked: ParkedAccounts, isInUse: Bool, into ending: inout Ending
    ) async throws {
        if case .session(let copy) = await parked.load(id) {
            if copy.lineage != ending.session?.lineage {
                ending.others.append(restored(copy))
            } else if !isInUse {
                ending.session = restored(copy)
            }
        }
        try await parked.slot(id).clear()
    }

    /// Returns a deleted parked account's session, for the server to revoke.
    func remove(_ id: UUID, from parked: ParkedAccounts) async throws -> KeptSession? {
        try await locked {
            try await self.gate.run { try await self.removeLocked(id, parked) }
        }
    }

    private func removeLocked(_ id: UUID, _ parked: ParkedAccounts) async throws -> KeptSession? {
        guard try await inUse()?.user.id != id else { return nil }
        let content = await parked.load(id)
        try await parked.remove(id)
        if case .session(let stored) = content { return restored(stored) }
        return nil
    }
}
