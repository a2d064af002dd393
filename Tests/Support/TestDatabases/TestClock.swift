package import GatehouseWire
import Synchronization

/// Moves only on a test's command. Starts at 2026-01-01T00:00:00Z.
package final class TestClock: Sendable {
    private let elapsed = Mutex(Duration.zero)

    package init() {}

    package func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
    package var now: Instant { Instant(seconds: 1_767_225_600) + uptime }
    package var uptime: Duration { elapsed.withLock { $0 } }
}

/// Pseudorandom bytes, the same in every run.
package final class TestRandomness: Sendable {
    private let state = Mutex<UInt64>(0x9E37_79B9_7F4A_7C15)

    package init() {}

    package func bytes(_ count: Int) -> [UInt8] {
        state.withLock { state in (0..<count).map { _ in UInt8(truncatingIfNeeded: Self.next(&state) >> 32) } }
    }

    package func next() -> UInt64 { state.withLock { Self.next(&$0) } }

    /// Marsaglia's xorshift64.
    private static func next(_ state: inout UInt64) -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
