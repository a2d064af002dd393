package import AccountDomain
package import AccountStore
import GatehouseWire
import HTTPServing
import Logging

extension EventDelivery {
    package var webhookEndpoints: [WebhookEndpoint] { webhooks?.endpoints ?? [] }

    /// Sends `gatehouse.test` once, not through the queue. A disabled endpoint that accepts it is enabled again.
    ///
    /// - Parameter id: Of the message.
    /// - Returns: nil without such an endpoint.
    package func test(_ name: String, id: String) async throws -> DeliveryResult? {
        guard let webhooks, let endpoint = webhooks.endpoints.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { return nil }
        let message = WebhookMessage.test(of: endpoint.name, id: id, at: runtime.now())
        let result = try await Webhooks.attempt(message, to: endpoint, at: runtime.now(), send: webhooks.send)
        if result == .delivered { try await accounts.events.enable(endpoint) }
        return result
    }

    /// Returns early if an event is stored on this node.
    package func waitForEvents(to endpoint: WebhookEndpoint, atMost duration: Duration) async throws {
        guard let webhooks else { return try await runtime.sleep(duration) }
        try await webhooks.wait(endpoint, atMost: duration, sleep: runtime.sleep)
    }

    /// Runs on any node: the database leases each delivery once. A slow response delays no other delivery; after a 410
    /// none starts.
    ///
    /// - Parameter isStopping: When true, or when the task is cancelled, unstarted deliveries become due again
    ///   immediately.
    /// - Returns: The number of deliveries tried or ended. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. Unreported deliveries become due again.
    package func deliverEvents(
        to endpoint: WebhookEndpoint, isStopping: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Int {
        guard let webhooks else { return 0 }
        let work = LeasedWork<ClaimedDelivery, Attempt>(
            beginning: WebhookSchedule.beginning, now: runtime.now, isStopping: isStopping,
            take: { try await takeDeliveries(to: endpoint) },
            hasRoom: { $0 < Webhooks.connections }, begin: { $0 < Webhooks.connections },
            attempt: { await deliver($0, to: endpoint, webhooks) },
            isLast: { $0.isGone }, report: { try await report($0, to: endpoint, webhooks) },
            giveBack: { deliveries in
                try await accounts.events.giveBack(deliveries.map { ($0, wasTried: false) }, at: runtime.now())
            },
            wait: { try await waitForEvents(to: endpoint, atMost: .seconds(1)) })
        return try await work.run()
    }

    private func takeDeliveries(
        to endpoint: WebhookEndpoint
    ) async throws -> (ended: Int, items: [ClaimedDelivery]) {
        if try await accounts.events.isDisabled(endpoint) {
            let ended = try await accounts.events.endDeliveries(
                to: endpoint.name, reason: "the endpoint answered 410", at: runtime.now())
            return (ended, [])
        }
        return (0, try await accounts.events.takeDeliveries(to: endpoint.name, limit: 256, at: runtime.now()))
    }

    private struct Attempt: Sendable {
        enum Outcome: Sendable {
            case ended(DeliveryResult)
            /// Cancelled while sending.
            case cutOff
        }

        let delivery: ClaimedDelivery
        let outcome: Outcome

        var isGone: Bool { if case .ended(.gone) = outcome { true } else { false } }
    }

    private func report(_ attempts: [Attempt], to endpoint: WebhookEndpoint, _ webhooks: Webhooks) async throws {
        var results: [(delivery: ClaimedDelivery, result: DeliveryResult)] = []
        var returned: [(delivery: ClaimedDelivery, wasTried: Bool)] = []
        for attempt in attempts {
            switch attempt.outcome {
            case .ended(let result): results.append((attempt.delivery, result))
            case .cutOff: returned.append((attempt.delivery, true))
            }
        }
        if results.contains(where: { $0.result == .gone }) {
            try await accounts.events.disable(endpoint, at: runtime.now())
            webhooks.logger.event(.warning, "webhook answered 410 and is disabled", [.name: endpoint.name])
        }
        try await accounts.events.report(results, chances: results.map { _ in webhooks.chance() }, at: runtime.now())
        try await accounts.events.giveBack(returned, at: runtime.now())
    }

    private func deliver(
        _ delivery: ClaimedDelivery, to endpoint: WebhookEndpoint, _ webhooks: Webhooks
    ) async -> Attempt {
        guard runtime.now() < delivery.expiresAt, let body = delivery.body else {
            let reason = delivery.body == nil ? "it cannot be opened" : "it has expired"
            return Attempt(delivery: delivery, outcome: .ended(.failed(reason: reason)))
        }
        do {
            let result = try await Webhooks.attempt(
                WebhookMessage(id: delivery.messageID, body: body), to: endpoint, at: runtime.now(),
                send: webhooks.send)
            note(result, of: delivery, to: endpoint, webhooks)
            return Attempt(delivery: delivery, outcome: .ended(result))
        } catch {
            return Attempt(delivery: delivery, outcome: .cutOff)
        }
    }

    private func note(
        _ result: DeliveryResult, of delivery: ClaimedDelivery, to endpoint: WebhookEndpoint, _ webhooks: Webhooks
    ) {
        switch result {
        case .delivered: counts.webhooks.increment(endpoint.name, "delivered")
        case .gone: counts.webhooks.increment(endpoint.name, "gone")
        case .failed(let reason):
            counts.webhooks.increment(endpoint.name, "failed")
            webhooks.logger.event(
                .warning, "event not delivered, will be tried again",
                [.name: "\(endpoint.name) \(delivery.messageID)", .cause: reason])
        }
    }

    /// For metrics.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func countEvents() async throws {
        guard let webhooks else { return }
        for endpoint in webhooks.endpoints {
            let (count, oldest) = try await accounts.events.deliveryBacklog(of: endpoint.name)
            webhooks.backlog.note(endpoint.name, count, oldest: oldest)
        }
    }
}
