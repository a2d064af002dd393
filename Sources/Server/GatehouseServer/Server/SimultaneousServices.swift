package import ServiceLifecycle

/// Ends all services concurrently. A `ServiceGroup` ends one after another, so each could wait as long for a lost
/// database as the one before it.
package struct SimultaneousServices: Service {
    /// Rounds that still run so long after the shutdown began are cancelled.
    static let limit: Duration = .seconds(10)

    private let services: [any Service]
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(_ services: [any Service], sleep: @escaping @Sendable (Duration) async throws -> Void) {
        (self.services, self.sleep) = (services, sleep)
    }

    /// - Throws: The first service's error, after cancelling the others.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            for service in services { group.addTask { try await service.run() } }
            group.addTask {
                try await gracefulShutdown()
                try await sleep(Self.limit)
                throw CancellationError()
            }
            defer { group.cancelAll() }
            do {
                for _ in services { try await group.next() }
            } catch is CancellationError where Task.isShuttingDownGracefully {}
        }
    }
}
