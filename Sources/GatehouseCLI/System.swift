import Foundation
import GatehouseWire

/// Clock, randomness and machine. The only place where they enter the program.
enum System {
    static func now() -> Instant {
        Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }

    private static let start = ContinuousClock.now
    /// The time since the first call, from a monotonic clock.
    static func uptime() -> Duration { ContinuousClock.now - start }

    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    /// A random number from 0 to 1.
    static func chance() -> Double { .random(in: 0...1) }

    /// 16 hexadecimal digits.
    static func requestID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    static var cores: Int { ProcessInfo.processInfo.activeProcessorCount }

    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Whether standard error is a terminal.
    static var hasTerminal: Bool { isatty(2) == 1 }
}
