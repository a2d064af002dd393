/// Runs `body`, cancels it when `limit` has passed, and waits for it to end: nothing runs on unseen.
///
/// A result that comes although time is over is given all the same: what was committed must not be denied.
///
/// - Throws: ``Refusal/timeout`` when time ran out and `body` gave up, else what `body` throws.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await sleep(limit)
            return nil
        }
        defer { group.cancelAll() }
        if let result = try await group.next() ?? nil { return result }
        group.cancelAll()
        do {
            if let late = try await group.next() ?? nil { return late }
        } catch is CancellationError {
            throw Refusal.timeout
        }
        throw Refusal.timeout
    }
}
