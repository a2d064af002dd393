import GatehouseWire
import Testing

@Suite("Time limits")
struct TimeLimitTests {
    private struct Fault: Error {}

    /// Waits only for its own cancellation.
    @Sendable private func untilCancelled() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }

    @Test("Work that stops at the limit has no result")
    func limit() async {
        await #expect(throws: TimeIsOver.self) {
            try await limited(to: .seconds(1), by: { _ in }) { () async throws -> Int in
                await untilCancelled()
                throw CancellationError()
            }
        }
    }

    @Test("A result or an error that comes after the limit counts")
    func late() async throws {
        let late = try await limited(to: .seconds(1), by: { _ in }) {
            await untilCancelled()
            return 7
        }
        #expect(late == 7)
        await #expect(throws: Fault.self) {
            try await limited(to: .seconds(1), by: { _ in }) { () async throws -> Int in
                await untilCancelled()
                throw Fault()
            }
        }
    }
}
