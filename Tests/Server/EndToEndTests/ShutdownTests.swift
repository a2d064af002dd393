import GatehouseServer
import Logging
import ServiceLifecycle
import Testing

private func untilCancelled() async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
}

@Suite("Shutdown")
struct ShutdownTests {
    /// Ends only after the other was told to.
    private struct Waiter: Service {
        let told: AsyncStream<Void>.Continuation
        let other: AsyncStream<Void>

        func run() async throws {
            try await gracefulShutdown()
            told.yield()
            for await _ in other { return }
        }
    }

    private struct Stuck: Service {
        func run() async throws { try await untilCancelled() }
    }

    private struct Fault: Error {}

    private struct Failing: Service {
        func run() async throws { throw Fault() }
    }

    private func end(_ services: SimultaneousServices) async throws {
        let group = ServiceGroup(services: [services], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test("All services learn of the shutdown at once")
    func atOnce() async throws {
        let (one, two) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let services = [
            Waiter(told: one.continuation, other: two.stream), Waiter(told: two.continuation, other: one.stream),
        ]
        try await end(SimultaneousServices(services) { _ in try await untilCancelled() })
    }

    @Test("A round that does not end is cancelled after the limit")
    func limit() async throws {
        try await end(SimultaneousServices([Stuck()]) { _ in })
    }

    @Test("A service that fails cancels the others")
    func failure() async throws {
        let services = SimultaneousServices([Stuck(), Failing()]) { _ in try await untilCancelled() }
        await #expect(throws: Fault.self) { try await services.run() }
    }
}
