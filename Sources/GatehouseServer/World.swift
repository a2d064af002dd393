package import GatehouseWire
package import IdentityProviders
package import Logging

/// What a server takes from the machine that it runs on. The program has the real one, and each test its own.
package struct World: Sendable {
    package var now: @Sendable () -> Instant
    /// A clock that never goes back; its beginning does not matter.
    package var uptime: @Sendable () -> Duration
    /// The same for threads that wait in the operating system, as those of the database drivers do. It goes on while
    /// they wait, also where ``uptime`` and ``sleep`` stand still.
    package var threadUptime: @Sendable () -> Duration
    /// Returns after the given time; throws when it is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// 64 bits that nobody can predict.
    package var random: @Sendable () -> UInt64
    /// Calls another server.
    package var transport: OutgoingHTTP.Transport
    /// The addresses of a host; none for a name that does not exist.
    package var resolve: @Sendable (String) async throws -> [IPAddress]
    package var logger: Logger

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

    /// From 0 to 1.
    @Sendable func chance() -> Double { Double(random()) / Double(UInt64.max) }

    /// 16 hexadecimal digits.
    @Sendable func requestID() -> String {
        let digits = String(random(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package var http: OutgoingHTTP { OutgoingHTTP(sleep: sleep, transport: transport) }
}
