// A new epoch, or imminent suspension, ends the wait even if the transport cannot be cancelled.
extension TokenRefreshCoordinator {
    /// Throws ``suspended`` if cancelled. The server may have acted, but the refresh token still works: the refresh is
    /// repeated later.
    func exchanged(
        _ startedIn: Int, _ work: @escaping @Sendable () async throws -> TimedAnswer
    ) async throws -> TimedAnswer {
        try check(startedIn)
        if Task.isCancelled { throw Self.suspended }
        exchangeCount += 1
        let id = exchangeCount
        let call = Task { try await work() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                awaited = AwaitedExchange(id: id, waiter: waiter, call: call)
                Task { self.arrived(await call.result, id) }
            }
        } onCancel: {
            call.cancel()
            Task { await self.arrived(.failure(Self.suspended), id) }
        }
    }

    private static var suspended: AuthClientError { .offline(.noAnswer("suspended")) }

    /// Writes received tokens even during suspension, or they would be lost.
    func uninterrupted(_ write: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { [gate] in try await gate.run(write) }.value
    }

    private func arrived(_ result: Result<TimedAnswer, any Error>, _ id: Int) {
        guard let awaited, awaited.id == id else { return }
        self.awaited = nil
        awaited.waiter.resume(with: result)
    }
}
