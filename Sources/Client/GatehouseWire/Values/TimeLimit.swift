/// Runs `body`, cancels it after `limit`, and waits for it to end.
///
/// A result that arrives after the limit is still returned, because committed work must not be reported as failed.
///
/// - Parameter sleep: Returns after the given duration; throws if cancelled.
/// - Throws: ``TimeIsOver`` if `body` stopped because of the limit; otherwise the errors of `body`, or
///   `CancellationError` if the task is cancelled.
package func limited<Value: Sendable>(
    to limit: Duration, by sleep: @escaping @Sendable (Duration) async throws -> Void,
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
        } catch is CancellationError {}
        throw TimeIsOver()
    }
}

/// The time limit has passed.
package struct TimeIsOver: Error {
    /// Creates the error.
    package init() {}
}
