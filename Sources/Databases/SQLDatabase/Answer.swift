/// Suspends until a driver resumes. On cancellation, even before `add` has run, calls `cancel`, which resumes the
/// caller if the driver can still stop.
@inlinable
package func awaitAnswer<Value: Sendable>(
    cancel: @Sendable () -> Void, _ add: (CheckedContinuation<Value, any Error>) -> Void
) async throws -> Value {
    try await withTaskCancellationHandler {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { caller in
            add(caller)
            // A cancellation that ran before add() found nothing to cancel: repeat it.
            if Task.isCancelled { cancel() }
        }
    } onCancel: {
        cancel()
    }
}
