import Foundation
import GatehouseServer
import GatehouseWire

package struct TrafficChecks: Sendable {
    private let address: ListenAddress

    init(_ address: ListenAddress) { self.address = address }

    /// - Returns: nil without a problem, or if no server responds.
    func all() async -> Finding? {
        let call = OutgoingCall(url: address.url + "/metrics", timeLimit: .seconds(5))
        // Ignored: this check does not require a running server.
        let answer = try? await limited(to: call.timeLimit, by: System.sleep) {
            try await OutgoingHTTP.overNetwork(call)
        }
        guard let answer, answer.status == 200 else { return nil }
        return Self.proxies(in: String(decoding: answer.body, as: UTF8.self))
    }

    package static func proxies(in metrics: String) -> Finding? {
        let counted = metrics.split(separator: "\n").lazy
            .first { $0.hasPrefix("gatehouse_untrusted_forwarded_requests_total ") }
        guard let number = counted?.split(separator: " ").last, let count = Double(number), count > 0 else {
            return nil
        }
        return .warning(
            "proxies",
            "\(Int(count)) requests came through an untrusted proxy; their clients share its rate limits",
            "add the proxy's network to \(Setting.trustedProxies.environmentName)")
    }
}
