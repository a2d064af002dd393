package import AccountStore
package import AuthServer
package import GatehouseWire
package import HTTPServing
package import Logging

/// A server's clocks, random numbers, network and log: the machine's, or a test's own.
package struct World: Sendable {
    package var now: @Sendable () -> Instant
    /// Monotonic, with an arbitrary start.
    package var uptime: @Sendable () -> Duration
    /// Monotonic, for threads that block in the operating system, such as database drivers'. Tests do not stop this
    /// clock.
    package var threadUptime: @Sendable () -> Duration
    /// Throws `CancellationError` on cancellation.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// 64 unpredictable bits.
    package var random: @Sendable () -> UInt64
    package var transport: OutgoingHTTP.Transport
    /// Returns no addresses for a name that does not exist.
    package var resolve: @Sendable (String) async throws -> [IPAddress]
    package var logger: Logger
    /// Replaces the settings' delivery; nil in the program.
    package var mail: (@Sendable (OutgoingMail) async -> MailResult)?
    /// Likewise for text messages.
    package var texts: (@Sendable (OutgoingMail) async -> MailResult)?
    /// Called on any thread; must not block.
    package var requestAnswered: (@Sendable (AnsweredRequest) -> Void)?
    /// Keeps complete mails instead of sending them.
    package var mailKeeper: MailKeeper?

    package init(
        now: @escaping @Sendable () -> Instant, uptime: @escaping @Sendable () -> Duration,
        threadUptime: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> UInt64, transport: @escaping OutgoingHTTP.Transport,
        resolve: @escaping @Sendable (String) async throws -> [IPAddress], logger: Logger
    ) {
        self.now = now
        self.uptime = uptime
        self.threadUptime = threadUptime
        self.sleep = sleep
        self.random = random
        self.transport = transport
        self.resolve = resolve
        self.logger = logger
    }
}

extension World {
    @Sendable package func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: random()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    /// 0 to 1.
    @Sendable func chance() -> Double { Double(random()) / Double(UInt64.max) }

    /// 16 hexadecimal digits.
    @Sendable func requestID() -> String {
        let digits = String(random(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package var http: OutgoingHTTP { OutgoingHTTP(sleep: sleep, transport: transport) }
}
