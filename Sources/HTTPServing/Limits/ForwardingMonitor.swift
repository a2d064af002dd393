import HTTPTypes
import Logging
import Synchronization

/// Counts requests forwarded by untrusted proxies, and warns about the first one: rate limits treat all clients of such
/// a proxy as one address.
final class ForwardingMonitor: Sendable {
    private let rule: ClientAddressRule
    private let requests: Counter
    private let hasWarned = Atomic(false)

    init(_ rule: ClientAddressRule, _ metrics: ServerMetrics) {
        self.rule = rule
        requests = metrics.counter(
            "gatehouse_untrusted_forwarded_requests_total",
            "Rate-limited requests that came through an untrusted proxy.")
    }

    func look(at headers: HTTPFields, _ context: ServerContext) {
        guard rule.ignoresForwarding(peer: context.peerAddress, headers) else { return }
        requests.increment()
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        context.event(
            .warning, "a proxy that is not trusted passes requests on",
            [.cause: "rate limits count all its clients as one address; add its network to trusted_proxies"])
    }
}
