package import AccountDomain
import AccountStore
import GatehouseWire
import HTTPServing
import Logging

extension AuthServer {
    package var webhookEndpoints: [WebhookEndpoint] { webhooks?.endpoints ?? [] }

    /// Waits until an event was stored on this node, or for the given time.
    package func waitForEvents(to endpoint: WebhookEndpoint, atMost duration: Duration) async throws {
        guard let webhooks else { return try await runtime.sleep(duration) }
        try await webhooks.wait(endpoint, atMost: duration, sleep: runtime.sleep)
    }

    /// Delivers the events to an endpoint that are due. Any node may: the database hands out each delivery once.
    ///
    /// - Returns: The number of deliveries tried or ended. Call again until it is 0.
    /// - Throws: ``DatabaseFailure``. Deliveries not reported become due again.
    package func deliverEvents(to endpoint: WebhookEndpoint) async throws -> Int {
        guard let webhooks else { return 0 }
        if try await accounts.isDisabled(endpoint) {
            return try await accounts.endDeliveries(
                to: endpoint.name, reason: "the endpoint answered 410", at: runtime.now())
        }
        let takenAt = runtime.now()
        let taken = try await accounts.takeDeliveries(to: endpoint.name, limit: 256, at: takenAt)
        guard !taken.isEmpty else { return 0 }
        let results = await withTaskGroup(of: (ClaimedDelivery, DeliveryResult)?.self) { group in
            var results: [(delivery: ClaimedDelivery, result: DeliveryResult)] = []
            func add(_ result: (ClaimedDelivery, DeliveryResult)?) { if let result { results.append(result) } }
            for (index, delivery) in taken.enumerated() {
                if index >= Webhooks.connections { add(await group.next() ?? nil) }
                group.addTask { await deliver(delivery, takenAt: takenAt, to: endpoint, webhooks) }
            }
            for await result in group { add(result) }
            return results
        }
        if results.contains(where: { $0.result == .gone }) {
            try await accounts.disable(endpoint, at: runtime.now())
            webhooks.logger.event(.warning, "webhook answered 410 and is disabled", [.name: endpoint.name])
        }
        try await accounts.report(results, chances: results.map { _ in webhooks.chance() }, at: runtime.now())
        return taken.count
    }

    /// - Returns: nil if the node is shutting down.
    private func deliver(
        _ delivery: ClaimedDelivery, takenAt: Instant, to endpoint: WebhookEndpoint, _ webhooks: Webhooks
    ) async -> (ClaimedDelivery, DeliveryResult)? {
        guard runtime.now() < takenAt + WebhookSchedule.beginning else {
            return (delivery, .failed(reason: "the deliveries before it took too long"))
        }
        guard runtime.now() < delivery.expiresAt, let body = delivery.body else {
            let reason = delivery.body == nil ? "it cannot be opened" : "it has expired"
            return (delivery, .failed(reason: reason))
        }
        do {
            let result = try await Webhooks.attempt(
                WebhookMessage(id: delivery.messageID, body: body), to: endpoint, at: runtime.now(),
                send: webhooks.send)
            switch result {
            case .delivered: counts.webhooks.increment(endpoint.name, "delivered")
            case .gone: counts.webhooks.increment(endpoint.name, "gone")
            case .failed(let reason):
                counts.webhooks.increment(endpoint.name, "failed")
                webhooks.logger.event(
                    .warning, "event not delivered, will be tried again",
                    [.name: "\(endpoint.name) \(delivery.messageID)", .cause: reason])
            }
            return (delivery, result)
        } catch {
            // Cancelled: the lease ends by itself.
            return nil
        }
    }

    /// Counts the queued deliveries, for metrics.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func countEvents() async throws {
        guard let webhooks else { return }
        for endpoint in webhooks.endpoints {
            let (count, oldest) = try await accounts.deliveryBacklog(of: endpoint.name)
            webhooks.backlog.note(endpoint.name, count, oldest: oldest)
        }
    }
}
