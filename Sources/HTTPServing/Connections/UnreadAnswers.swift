package import NIOCore

/// Closes a connection whose caller has not read its answers for so long that nothing more can be written. While an
/// answer waits, Hummingbird's own idle limit does not run.
package final class UnreadAnswers: ChannelInboundHandler {
    package typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var alarm: Scheduled<Void>?

    /// - Parameter limit: How long the buffers may stay full.
    package init(limit: TimeAmount) { self.limit = limit }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        alarm?.cancel()
        alarm =
            context.channel.isWritable
            ? nil : context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }
}
