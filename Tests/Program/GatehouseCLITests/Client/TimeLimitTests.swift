import Foundation
import Gatehouse
import GatehouseCLI
import Synchronization
import Testing

@Suite("What an interruption waits for")
struct TimeLimitTests {
    private static func clock(sleep: @escaping @Sendable (Duration) async throws -> Void) -> ClientClock {
        ClientClock(now: { Date(timeIntervalSince1970: 0) }, uptime: { .zero }, sleep: sleep)
    }

    /// Until it is cancelled.
    private static func waitForever() async throws { for await _ in AsyncStream<Never>.makeStream().stream {} }

    @Test("A request without an answer is given up when the clock reaches the limit", .timeLimit(.minutes(5)))
    func noAnswer() async {
        let slept = Mutex<Duration?>(nil)
        let (ended, end) = AsyncStream<Void>.makeStream()
        let clock = Self.clock { limit in slept.withLock { $0 = limit } }
        let hasEnded = await ends(within: .seconds(2), clock) {
            // Ignored: it throws no error.
            try? await Self.waitForever()
            end.yield()
        }
        #expect(!hasEnded && slept.withLock(\.self) == .seconds(2))
        #expect(await ended.first { true } != nil, "it is cancelled")
    }

    @Test("Work that ends before the limit is not waited for any longer", .timeLimit(.minutes(5)))
    func answer() async {
        let clock = Self.clock { _ in try await Self.waitForever() }
        #expect(await ends(within: .seconds(2), clock) {})
    }
}
