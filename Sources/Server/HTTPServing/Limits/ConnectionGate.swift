import GatehouseWire
package import Logging
package import NIOCore

/// Closes new connections beyond the limits or with few free file descriptors, and pauses accepting without any. First
/// in the listening socket's pipeline.
///
/// NIO's own handler leaves the socket registered while not reading, so its selector spins (swift-nio 2.101,
/// `ServerSocketChannel`: `readPending` stays set after a failed accept).
package final class ConnectionGate: ChannelDuplexHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel
    package typealias OutboundIn = Never
    package typealias OutboundOut = Never

    private enum Reason: String {
        case limit, descriptors
    }

    private static let pause = TimeAmount.milliseconds(250)
    /// Between two log lines with the same reason.
    private static let silence = TimeAmount.seconds(10)

    private let connections: OpenConnections
    private let areDescriptorsScarce: @Sendable () -> Bool
    private let refused: Counter
    private let logger: Logger
    private var told: Set<Reason> = []
    private var isPaused = false
    private var mustRead = false

    /// - Parameters:
    ///   - areDescriptorsScarce: Called for each connection, as ``Descriptors/areScarce(reserve:)``.
    ///   - refused: By reason, `limit` or `descriptors`.
    package init(
        _ connections: OpenConnections, areDescriptorsScarce: @escaping @Sendable () -> Bool, refused: Counter,
        logger: Logger
    ) {
        self.connections = connections
        self.areDescriptorsScarce = areDescriptorsScarce
        self.refused = refused
        self.logger = logger
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        if areDescriptorsScarce() {
            channel.close(promise: nil)
            return tell(.descriptors, .error, "connections refused: raise the limit of open files", context)
        }
        let peer = (channel.remoteAddress?.ipAddress).flatMap { IPAddress($0) }
        guard connections.open(peer) else {
            channel.close(promise: nil)
            return tell(.limit, .warning, "connections refused: too many are open", context)
        }
        channel.closeFuture.whenComplete { [connections] _ in connections.close(peer) }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, Descriptors.haveRunOut(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        guard !isPaused else { return }
        isPaused = true
        tell(.descriptors, .error, "no more files can be opened: raise the limit of open files", context)
        setAutoRead(false, context.channel)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isPaused = false
            self.setAutoRead(true, context.channel)
            if self.mustRead {
                self.mustRead = false
                context.read()
            }
        }
    }

    package func read(context: ChannelHandlerContext) {
        if isPaused { mustRead = true } else { context.read() }
    }

    private func tell(
        _ reason: Reason, _ level: Logger.Level, _ message: StaticString, _ context: ChannelHandlerContext
    ) {
        refused.increment(reason.rawValue)
        guard told.insert(reason).inserted else { return }
        logger.event(level, message, [.count: "\(connections.count)"])
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.silence) { self.told.remove(reason) }
    }

    private func setAutoRead(_ value: Bool, _ channel: any Channel) {
        // Ignored: it fails only on a closed socket, which needs no pause.
        try? channel.syncOptions?.setOption(.autoRead, value: value)
    }
}
