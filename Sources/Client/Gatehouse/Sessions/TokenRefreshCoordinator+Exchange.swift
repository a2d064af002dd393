// Waits for the network. A new epoch and the end of the process's time end the wait, even if the transport cannot be
// cancelled.
extension TokenRefreshCoordinator {
    /// - Throws: ``suspended`` if the task is cancelled, which the store's lock does before the system suspends the process.
    ///   The server may have acted: the same refresh token still works. A refresh is repeated when the process runs again.
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

    /// Writes tokens that have arrived, also in a process that is about to be suspended: without the write they are lost.
    func uninterrupted(_ write: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { [gate] in try await gate.run(write) }.value
    }

    private func arrived(_ result: Result<TimedAnswer, any Error>, _ id: Int) {
        guard let awaited, awaited.id == id else { return }
        self.awaited = nil
        awaited.waiter.resume(with: result)
    }
}
