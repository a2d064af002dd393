import GatehouseWire

/// Runs `body` within a time limit; see `limited(to:by:_:)`.
///
/// - Throws: ``Refusal/timeout`` if `body` stopped because of the limit, otherwise the errors of `body`.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
    _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    do { return try await limited(to: limit, by: sleep, body) } catch is TimeIsOver { throw Refusal.timeout }
}
