package import AccountDomain
package import AccountStore
package import GatehouseWire
package import Logging
import Synchronization

package struct Webhooks: Sendable {
    package let endpoints: [WebhookEndpoint]
    let send: SignedTransport
    /// 0 to 1.
    let chance: @Sendable () -> Double
    let logger: Logger
    package let backlog = EventBacklog()
    private let bells: [String: Bell]

    /// Per endpoint. The client for outgoing calls allows at least as many.
    static let connections = 16

    /// - Returns: nil without endpoints.
    package init?(
        _ endpoints: [WebhookEndpoint], logger: Logger, chance: @escaping @Sendable () -> Double,
        send: @escaping SignedTransport
    ) {
        guard !endpoints.isEmpty else { return nil }
        (self.endpoints, self.logger, self.chance, self.send) = (endpoints, logger, chance, send)
        bells = Dictionary(endpoints.map { ($0.name, Bell()) }) { first, _ in first }
    }

    @Sendable package func ring() { for bell in bells.values { bell.ring() } }

    func wait(
        _ endpoint: WebhookEndpoint, atMost duration: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async throws {
        try await bells[endpoint.name]?.wait(atMost: duration, sleep: sleep)
    }

    /// Only the status matters. Has its own line, so neither the host's hooks nor other endpoints wait.
    ///
    /// - Throws: `CancellationError`.
    package static func attempt(
        _ message: WebhookMessage, to endpoint: WebhookEndpoint, at now: Instant, send: SignedTransport
    ) async throws -> DeliveryResult {
        let name = "webhook \(endpoint.name)"
        let call = SignedCall(
            name: name, url: endpoint.url, headers: message.headers(at: now, secrets: endpoint.secrets),
            body: message.body, maximumBytes: nil, timeLimit: WebhookSchedule.timeLimit, line: name)
        do {
            let answer = try await send(call)
            return switch answer.status {
            case 200..<300: .delivered
            case 410: .gone
            case 300..<400: .failed(reason: "status \(answer.status): redirects are not followed")
            default: .failed(reason: "status \(answer.status)")
            }
        } catch let failure as SignedCallFailure {
            return .failed(reason: failure.cause)
        }
    }
}

package final class EventBacklog: Sendable {
    private let found = Mutex<[String: (count: Int, oldest: Instant?)]>([:])

    /// By endpoint.
    package var counts: [(String, Double)] {
        found.withLock { found in found.map { ($0.key, Double($0.value.count)) } }
    }

    /// In seconds, by endpoint.
    package func ages(at now: Instant) -> [(String, Double)] {
        found.withLock { found in
            found.map { name, queue in
                (name, queue.oldest.map { max(0, Double((now - $0).microseconds) / 1_000_000) } ?? 0)
            }
        }
    }

    func note(_ endpoint: String, _ count: Int, oldest: Instant?) {
        found.withLock { $0[endpoint] = (count, oldest) }
    }
}
