/// The slot changed between read and write.
struct SlotChanged: Error {}

/// One refresh with its retries. Releases the store's lock between attempts.
struct SessionRefresh: Sendable {
    let startedIn: Int
    /// Ignores another process's recent refresh.
    let asksAlways: Bool

    private struct Passing: Error {
        let cause: OfflineCause
        let retryAfter: Duration?
    }

    func run(in coordinator: isolated TokenRefreshCoordinator) async throws -> AuthSession {
        defer { if coordinator.flight?.epoch == startedIn { coordinator.flight = nil } }
        do {
            return try await tries(in: coordinator)
        } catch let error as AuthClientError {
            coordinator.notify(.refreshFailed(error))
            throw error
        } catch is Superseded {
            throw Superseded()
        } catch {
            // The store's lock was unavailable.
            try coordinator.check(startedIn)
            let failure = AuthClientError.storeUnavailable(StoreProblem(error))
            coordinator.notify(.refreshFailed(failure))
            throw failure
        }
    }

    private func tries(in coordinator: isolated TokenRefreshCoordinator) async throws -> AuthSession {
        var failures = 0
        while true {
            do {
                return try await coordinator.slot.storage.withLock { try await attempt(in: coordinator) }
            } catch let failure as Passing {
                try coordinator.check(startedIn)
                let wait = coordinator.rules.wait(
                    failures: failures, retryAfter: failure.retryAfter, random: coordinator.random())
                guard let wait else {
                    if let pause = failure.retryAfter {
                        coordinator.quiet = (coordinator.clock.uptime() + pause, failure.cause)
                    }
                    throw AuthClientError.offline(failure.cause)
                }
                failures += 1
                // Cancelled only by a newer epoch.
                do { try await coordinator.clock.sleep(wait) } catch { try coordinator.check(startedIn) }
                try coordinator.check(startedIn)
            } catch is SlotChanged {
                try coordinator.check(startedIn)
            }
        }
    }

    /// Under the store's lock: read, refresh, save, publish.
    private func attempt(in coordinator: isolated TokenRefreshCoordinator) async throws -> AuthSession {
        try coordinator.check(startedIn)
        guard let before = coordinator.kept else { throw Superseded() }
        let current = try await coordinator.gate.run { try await coordinator.reread(before, startedIn) }
        let isNewer = current.generation != before.generation
        if isNewer, !asksAlways, current.isFresh(at: coordinator.clock.uptime(), leeway: coordinator.rules.leeway) {
            return current.session
        }
        let timed: TimedAnswer
        do {
            timed = try await coordinator.exchange.answer(for: current, startedIn, in: coordinator)
        } catch let lost as BoundExchange.KeyIsLost {
            throw try await coordinator.gate.run { try await coordinator.end(current, lost.refusal, startedIn) }
        } catch AuthClientError.refused(let refusal) where refusal.endsRefresh {
            throw try await coordinator.gate.run { try await coordinator.end(current, refusal, startedIn) }
        } catch {
            throw Self.passing(error)
        }
        guard timed.answer.user.id == current.session.user.id else {
            throw AuthClientError.unexpectedAnswer("a refresh returned a different user")
        }
        let fresh = KeptSession(timed, generation: coordinator.newID(), lineage: current.lineage)
        try await coordinator.uninterrupted {
            try await coordinator.land(fresh, replacing: current.generation, startedIn)
        }
        return fresh.session
    }

    private static func passing(_ error: any Error) -> any Error {
        switch error {
        case is Superseded: error
        case AuthClientError.refused(let refusal) where refusal.isPassing:
            Passing(cause: .status(refusal.status), retryAfter: refusal.retryAfter)
        case AuthClientError.unexpectedAnswer(let text): Passing(cause: .notUnderstood(text), retryAfter: nil)
        // Screens retry on reconnection.
        case AuthClientError.offline(.noConnection): error
        case AuthClientError.offline(let cause): Passing(cause: cause, retryAfter: nil)
        case is AuthClientError: error
        default: Passing(cause: .noAnswer(error.shortText), retryAfter: nil)
        }
    }
}
