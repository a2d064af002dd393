/// Runs `body`, cancels it after `limit`, and waits for it. Returns late results: committed work must not look failed.
///
/// - Throws: ``TimeIsOver`` if the limit stopped `body`; otherwise its errors, or `CancellationError`.
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

package struct TimeIsOver: Error {
    package init() {}
}
