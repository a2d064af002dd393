import GatehouseWire
package import Hummingbird
package import Logging
import NIOCore

package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The client's or a new one; in `x-request-id` and every log line.
    package internal(set) var requestID = ""
    /// The admitted token's user; nil for a key, and for all other callers.
    package var administrator: String?
    /// Of an admitted caller of the admin API.
    package var operatorRights = OperatorRights.own
    /// From a page of this server, whose sessions stay on the server.
    package var isOwnPage = false
    /// In bytes.
    package var maxUploadSize: Int { 1_048_576 }

    /// The request's, even if it is not recorded; nil without traces.
    var span: ActiveSpan?
    /// nil outside of a route.
    var deadline: Deadline?
    /// nil outside of a route, and for methods without a body.
    var bodyShare: BodyShare?
    private let peer: Peer

    private enum Peer: Sendable {
        case channel(any Channel)
        case address(String?)
    }

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = .channel(source.channel)
    }

    package init(peerAddress: String?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        peer = .address(peerAddress)
    }

    /// Without the port; nil for a Unix socket. Formatted on each call.
    package var peerAddress: String? {
        switch peer {
        case .channel(let channel): channel.remoteAddress?.ipAddress
        case .address(let address): address
        }
    }

    /// A client refused mid-body has time to read the response, but cannot keep the connection by sending more.
    func closeConnection(after delay: Duration) {
        guard case .channel(let channel) = peer else { return }
        channel.eventLoop.scheduleTask(in: .microseconds(delay.microseconds)) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    /// Sends `100 Continue` if the client waits for it.
    func wantBody() {
        guard case .channel(let channel) = peer else { return }
        channel.triggerUserOutboundEvent(RequestHeads.BodyWanted(), promise: nil)
    }

    private struct LoggerSource: RequestContextSource { let logger: Logger }
}

/// On the monotonic clock.
struct Deadline: Sendable {
    let end: Duration
    let uptime: @Sendable () -> Duration

    var isOver: Bool { uptime() >= end }
}

extension Duration {
    var fractionalSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
