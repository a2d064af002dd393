import GatehouseWire
package import Hummingbird
package import Logging
import NIOCore

/// What a handler knows about its request besides the request itself.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// As the caller named it, or made here; goes back as `x-request-id` and into every log line.
    package internal(set) var requestID = ""
    /// The most that a body may hold, in bytes (contract 1.5).
    package var maxUploadSize: Int { 1_048_576 }

    /// When the request has to be done. Nil outside of a route.
    var deadline: Deadline?
    /// What the body has of the memory for all. Nil outside of a route, and for methods whose bodies are not read.
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

    /// A context without a socket.
    package init(peerAddress: String?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        peer = .address(peerAddress)
    }

    /// The other end of the connection, without a port; nil for a Unix socket. Formatted anew by each call.
    package var peerAddress: String? {
        switch peer {
        case .channel(let channel): channel.remoteAddress?.ipAddress
        case .address(let address): address
        }
    }

    /// Ends the connection once `delay` has passed, so that a caller who was refused in the middle of a body
    /// has time to read the answer but cannot hold the connection by sending on.
    func closeConnection(after delay: Duration) {
        guard case .channel(let channel) = peer else { return }
        channel.eventLoop.scheduleTask(in: .microseconds(delay.microseconds)) {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    private struct LoggerSource: RequestContextSource { let logger: Logger }
}

/// A time on the monotonic clock after which work is pointless.
struct Deadline: Sendable {
    let end: Duration
    let uptime: @Sendable () -> Duration

    var isOver: Bool { uptime() >= end }
}

extension Duration {
    /// Seconds as a fraction, for rates and for Prometheus.
    var fractionalSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
