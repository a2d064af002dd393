// Processes that share the store: an app, its widget, its extensions.
extension TokenRefreshCoordinator {
    /// Takes over what another process has done to the store since: a sign-out, another account, a refresh, a sign-in.
    ///
    /// A store that does not answer, as on a locked phone, leaves everything as it is: a token that is still valid can
    /// be used. Reads the store's two entries, which takes about a millisecond in the Keychain.
    ///
    /// - Throws: ``AuthClientError``: `signedOut(.signedOutElsewhere)`; `sessionChanged` if another user is signed in
    ///   now.
    func followStore() async throws {
        let (startedIn, before) = (epoch, kept?.session.user.id)
        do {
            try await gate.run { try await self.readOthersChange(startedIn) }
        } catch AuthClientError.storeUnavailable {
            return
        } catch is Superseded {
            // A link or a proof may have replaced the session of the same user, or a sign-in has begun.
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
            // The session that ended here may still be stored, if it could not be deleted.
            guard case .session(let stored) = await slot.load(), stored.lineage != endedLineage else { return }
            try check(startedIn)
            if hasEndedUnread {
                (endedLineage, hasEndedUnread) = (stored.lineage, false)
                return
            }
            change(.signedIn(KeptSession(stored, now: clock.now(), uptime: clock.uptime())), event: .signedIn)
        }
    }

    /// While a sign-in of this process is on its way to the store, nothing is taken over, but a session that another process
    /// has replaced or removed is not handed out either.
    private func refuseReplaced() async throws {
        guard let kept else { return }
        switch await slot.load() {
        case .unavailable, .damaged: return
        case .session(let stored) where stored.lineage == kept.lineage: return
        case .session, .absent: throw AuthClientError.sessionChanged
        }
    }
}
