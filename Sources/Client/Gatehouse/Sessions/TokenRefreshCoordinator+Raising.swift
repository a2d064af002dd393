import Foundation

extension TokenRefreshCoordinator {
    /// Replaces the session's tokens by a verification's.
    ///
    /// The server voids older refresh tokens, so a concurrent refresh would end the session: each waits for the other,
    /// and the store's lock excludes other processes. No retries, because codes are single-use.
    ///
    /// - Throws: Errors of the call; `storeUnavailable` and `storeFailed`, after which the previous tokens stay;
    ///   `signedOut` and `sessionChanged` if the app signed out or in.
    func raisedSession(by call: @escaping @Sendable (String) async throws -> TimedAnswer) async throws -> AuthSession {
        let user = try await freshSession().user.id
        while let other = raising?.task ?? flight?.task {
            // Ignored: the other's result does not matter.
            _ = try? await Self.value(of: other)
            try Task.checkCancellation()
        }
        guard let kept, kept.session.user.id == user else { throw overtaken }
        let startedIn = epoch
        // Unstructured: a cancelled caller must not lose tokens.
        let task = Task { try await self.raise(startedIn, call) }
        raising = Flight(epoch: startedIn, task: task)
        do {
            return try await Self.value(of: task)
        } catch is Superseded {
            throw overtaken
        }
    }

    /// nil if no verification was in progress, or it failed.
    func sessionAfterRaising() async throws -> AuthSession? {
        guard let raising else { return nil }
        // Ignored: the verification's caller gets the error.
        let session = try? await Self.value(of: raising.task)
        try Task.checkCancellation()
        return session
    }

    private func raise(
        _ startedIn: Int, _ call: @escaping @Sendable (String) async throws -> TimedAnswer
    ) async throws -> AuthSession {
        defer { if raising?.epoch == startedIn { raising = nil } }
        do {
            return try await slot.storage.withLock { try await self.raiseLocked(startedIn, call) }
        } catch let error as AuthClientError {
            throw error
        } catch is Superseded {
            throw Superseded()
        } catch is SlotChanged {
            throw AuthClientError.sessionChanged
        } catch {
            // The store's lock was unavailable.
            try check(startedIn)
            throw AuthClientError.storeUnavailable(StoreProblem(error))
        }
    }

    private func raiseLocked(
        _ startedIn: Int, _ call: @escaping @Sendable (String) async throws -> TimedAnswer
    ) async throws -> AuthSession {
        try check(startedIn)
        guard let before = kept else { throw Superseded() }
        let current = try await gate.run { try await self.reread(before, startedIn) }
        let token = current.session.accessToken
        var timed = try await exchanged(startedIn) { try await call(token) }
        timed.key = current.key
        guard timed.answer.user.id == current.session.user.id else {
            throw AuthClientError.unexpectedAnswer("a verification returned a different user")
        }
        let raised = KeptSession(timed, generation: newID(), lineage: current.lineage)
        try await uninterrupted {
            try await self.land(raised, replacing: current.generation, startedIn, event: .mfaChallengeVerified)
        }
        return raised.session
    }
}

extension TokenRefreshCoordinator {
    /// A cancelled caller stops waiting; the work continues.
    static func value(of refresh: Task<AuthSession, any Error>) async throws -> AuthSession {
        let (sessions, continuation) = AsyncThrowingStream<AuthSession, any Error>.makeStream()
        // Unstructured: a child task would be awaited.
        Task {
            switch await refresh.result {
            case .success(let session):
                continuation.yield(session)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        for try await session in sessions { return session }
        // The caller was cancelled.
        throw CancellationError()
    }
}
