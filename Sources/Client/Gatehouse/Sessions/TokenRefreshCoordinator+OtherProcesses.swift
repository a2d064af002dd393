// An app, its widget, its extensions.
extension TokenRefreshCoordinator {
    /// Adopts another process's sign-out, account, refresh or sign-in. Reads two entries, about a millisecond in the
    /// Keychain. An unavailable store changes nothing.
    ///
    /// - Throws: `signedOut(.signedOutElsewhere)`; `sessionChanged` if another user is signed in.
    func followStore() async throws {
        let (startedIn, before) = (epoch, kept?.session.user.id)
        do {
            try await gate.run { try await self.readOthersChange(startedIn) }
        } catch AuthClientError.storeUnavailable {
            return
        } catch is Superseded {
            // A link, proof or sign-in may have begun or replaced the session.
            guard let before, kept?.session.user.id == before else { throw overtaken }
            try await followStore()
        }
    }

    private func readOthersChange(_ startedIn: Int) async throws {
        try check(startedIn)
        guard ownChanges == 0 else { return try await refuseReplaced() }
        switch state {
        case .restoring: break
        case .signedIn(let kept): _ = try await reread(kept, startedIn, isOwnFlight: false)
        case .signedOut:
            // It may be the ended session, which could not be deleted.
            guard case .session(let stored) = await slot.load(), stored.lineage != endedLineage else { return }
            try check(startedIn)
            if hasEndedUnread {
                (endedLineage, hasEndedUnread) = (stored.lineage, false)
                return
            }
            change(.signedIn(restored(stored)), event: .signedIn)
        }
    }

    /// During a sign-in's write nothing is adopted, but replaced or removed sessions are not returned.
    private func refuseReplaced() async throws {
        guard let kept else { return }
        switch await slot.load() {
        case .unavailable, .damaged: return
        case .session(let stored) where stored.lineage == kept.lineage: return
        case .session, .absent: throw AuthClientError.sessionChanged
        }
    }
}
