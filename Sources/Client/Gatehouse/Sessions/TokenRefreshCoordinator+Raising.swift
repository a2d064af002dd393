import Foundation

// Verifications of second factors.
extension TokenRefreshCoordinator {
    /// Raises the session by a call with its access token, whose response replaces the tokens in place.
    ///
    /// The server gives the session another refresh token and accepts no older one. A refresh at the same time would
    /// therefore end the session: the call waits for one in progress, and later ones wait for the call. The store's lock
    /// keeps other processes out. Nothing is retried, because a code works once; without a response the session stays
    /// as it is.
    ///
    /// - Throws: Errors of the call; ``AuthClientError``: `storeUnavailable` and `storeFailed`, after which the previous
    ///   tokens stay; `signedOut` and `sessionChanged` if the app signed out or in during the call.
    func raisedSession(by call: @escaping @Sendable (String) async throws -> TimedAnswer) async throws -> AuthSession {
        let user = try await freshSession().user.id
        while let other = raising?.task ?? flight?.task {
            // Ignored: this call does not depend on the other one's result.
            _ = try? await Self.value(of: other)
            try Task.checkCancellation()
        }
        guard let kept, kept.session.user.id == user else { throw overtaken }
        let startedIn = epoch
        // Unstructured, because the cancellation of the caller must not lose the new tokens.
        let task = Task { try await self.raise(startedIn, call) }
        raising = Flight(epoch: startedIn, task: task)
        do {
            return try await Self.value(of: task)
        } catch is Superseded {
            throw overtaken
        }
    }

    /// Waits for a verification in progress.
    ///
    /// - Returns: Its session, which has new tokens; nil if none was in progress, or it failed.
    func sessionAfterRaising() async throws -> AuthSession? {
        guard let raising else { return nil }
        // Ignored: the verification's own caller gets the error.
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
            // The store's lock was not available.
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
        let timed = try await exchanged(startedIn) { try await call(token) }
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
    /// Waits for a refresh or a verification. A cancelled caller stops waiting, and the work continues.
    static func value(of refresh: Task<AuthSession, any Error>) async throws -> AuthSession {
        let (sessions, continuation) = AsyncThrowingStream<AuthSession, any Error>.makeStream()
        // Unstructured, because a child task would be awaited.
        Task {
            switch await refresh.result {
            case .success(let session):
                continuation.yield(session)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        for try await session in sessions { return session }
        // The stream ends without a session if the caller is cancelled.
        throw CancellationError()
    }
}
