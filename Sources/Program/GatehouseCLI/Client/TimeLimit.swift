package import Gatehouse

/// - Returns: Whether the work ended. It is cancelled at the limit.
package func ends(
    within limit: Duration, _ clock: ClientClock, _ work: @escaping @Sendable () async -> Void
) async -> Bool {
    let (results, result) = AsyncStream<Bool>.makeStream()
    let working = Task {
        await work()
        result.yield(true)
    }
    let waiting = Task {
        // Ignored: after a cancellation, the result is not read.
        try? await clock.sleep(limit)
        result.yield(false)
    }
    defer {
        working.cancel()
        waiting.cancel()
    }
    return await results.first { _ in true } ?? false
}
