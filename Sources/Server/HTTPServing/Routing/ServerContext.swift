import GatehouseWire
package import Hummingbird
package import Logging
import NIOCore

/// A handler's context in addition to the request.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The client's request id or a new one, sent back as `x-request-id` and in every log line.
    package internal(set) var requestID = ""
    /// The name of the administrator whose token the guard admitted; nil for a key, and for all other callers.
    package var administrator: String?
    /// The maximum length of a body, in bytes.
    package var maxUploadSize: Int { 1_048_576 }

    /// The deadline of the request; nil outside of a route.
    var deadline: Deadline?
    /// The request's share of the memory for bodies; nil outside of a route and for methods without a body.
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

    /// A context without a connection.
    package init(peerAddress: String?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        peer = .address(peerAddress)
    }

    /// The peer of the connection without the port; nil for a Unix socket. Formatted on each call.
    package var peerAddress: String? {
        switch peer {
        case .channel(let channel): channel.remoteAddress?.ipAddress
        case .address(let address): address
        }
    }

    /// Closes the connection after `delay`. A client that was refused in the middle of a body has time to read the
    /// response but cannot keep the connection by sending more.
    func closeConnection(after delay: Duration) {
        guard case .channel(let channel) = peer else { return }
        channel.eventLoop.scheduleTask(in: .microseconds(delay.microseconds)) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    /// Asks a client that waits for `100 Continue` for the body.
    func wantBody() {
        guard case .channel(let channel) = peer else { return }
        channel.triggerUserOutboundEvent(RequestHeads.BodyWanted(), promise: nil)
    }

    private struct LoggerSource: RequestContextSource { let logger: Logger }
}

/// A point on the monotonic clock after which work on the request is pointless.
struct Deadline: Sendable {
    let end: Duration
    let uptime: @Sendable () -> Duration

    var isOver: Bool { uptime() >= end }
}

extension Duration {
    /// The duration in seconds, for rates and Prometheus.
    var fractionalSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
