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
            _ = try? await other.session()
            try Task.checkCancellation()
        }
        guard let kept, kept.session.user.id == user else { throw overtaken }
        let startedIn = epoch
        // Unstructured: a cancelled caller must not lose tokens.
        let task = Task { try await SessionRaising(startedIn: startedIn, call: call).run(in: self) }
        raising = Flight(epoch: startedIn, task: task)
        do {
            return try await task.session()
        } catch is Superseded {
            throw overtaken
        }
    }

    /// nil if no verification was in progress, or it failed.
    func sessionAfterRaising() async throws -> AuthSession? {
        guard let raising else { return nil }
        // Ignored: the verification's caller gets the error.
        let session = try? await raising.task.session()
        try Task.checkCancellation()
        return session
    }
}

/// One verification, under the store's lock.
struct SessionRaising: Sendable {
    let startedIn: Int
    let call: @Sendable (String) async throws -> TimedAnswer

    func run(in coordinator: isolated TokenRefreshCoordinator) async throws -> AuthSession {
        defer { if coordinator.raising?.epoch == startedIn { coordinator.raising = nil } }
        do {
            return try await coordinator.slot.storage.withLock { try await attempt(in: coordinator) }
        } catch let error as AuthClientError {
            throw error
        } catch is Superseded {
            throw Superseded()
        } catch is SlotChanged {
            throw AuthClientError.sessionChanged
        } catch {
            // The store's lock was unavailable.
            try coordinator.check(startedIn)
            throw AuthClientError.storeUnavailable(StoreProblem(error))
        }
    }

    private func attempt(in coordinator: isolated TokenRefreshCoordinator) async throws -> AuthSession {
        try coordinator.check(startedIn)
        guard let before = coordinator.kept else { throw Superseded() }
        let current = try await coordinator.gate.run { try await coordinator.reread(before, startedIn) }
        let token = current.session.accessToken
        var timed = try await coordinator.exchanged(startedIn) { [call] in try await call(token) }
        timed.key = current.key
        guard timed.answer.user.id == current.session.user.id else {
            throw AuthClientError.unexpectedAnswer("a verification returned a different user")
        }
        let raised = KeptSession(timed, generation: coordinator.newID(), lineage: current.lineage)
        try await coordinator.uninterrupted {
            try await coordinator.land(raised, replacing: current.generation, startedIn, event: .mfaChallengeVerified)
        }
        return raised.session
    }
}

extension Task where Success == AuthSession, Failure == any Error {
    /// A cancelled caller stops waiting; the work continues.
    func session() async throws -> AuthSession {
        let (sessions, continuation) = AsyncThrowingStream<AuthSession, any Error>.makeStream()
        // Unstructured: a child task would be awaited.
        Task<Void, Never> {
            switch await result {
            case .success(let session):
                continuation.yield(session)
                continuation.finish()
            case .failure(let error): continuation.finish(throwing: error)
            }
        }
        for try await session in sessions { return session }
        // The caller was cancelled.
        throw Swift.CancellationError()
    }
}
