import Dispatch
import Foundation
import GatehouseServer
import GatehouseWire
import Logging

/// The only place where clock, randomness and machine enter the program.
enum System {
    static func now() -> Instant {
        Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }

    private static let start = ContinuousClock.now
    /// Since the first call, monotonic.
    static func uptime() -> Duration { ContinuousClock.now - start }

    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// Opens the timers' descriptors, one per clock: libdispatch opens them on first use, and ends the process if no
    /// more files can be opened.
    static func openTimers() async throws {
        // These timers never end, which keeps their clocks' descriptors in use.
        let forever = Duration.seconds(1 << 30)
        Task.detached { try await Task.sleep(for: forever, clock: .continuous) }
        Task.detached { try await Task.sleep(for: forever, clock: .suspending) }
        DispatchQueue.global().asyncAfter(wallDeadline: .now() + .seconds(1 << 30)) {}
        // When a later timer has fired, the earlier ones are set.
        try await Task.sleep(for: .milliseconds(1), clock: .suspending)
        try await Task.sleep(for: .milliseconds(1), clock: .continuous)
        await withCheckedContinuation { fired in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + .milliseconds(1)) { fired.resume() }
        }
    }

    static func randomBytes(_ count: Int) -> [UInt8] { world().randomBytes(count) }

    /// - Parameter logger: Silent by default.
    static func world(_ logger: Logger = Logger(label: "gatehouse") { _ in SwiftLogNoOpLogHandler() }) -> World {
        World(
            now: now, uptime: uptime, threadUptime: uptime, sleep: sleep, random: random,
            transport: OutgoingHTTP.overNetwork, resolve: NameResolution.addresses, logger: logger)
    }

    private static func random() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    static var hasTerminal: Bool { isatty(2) == 1 }
}
