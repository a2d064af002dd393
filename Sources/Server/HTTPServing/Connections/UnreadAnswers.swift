package import NIOCore

/// Closes a connection whose client does not read responses. Hummingbird's idle timeout does not run while a response
/// waits.
package final class UnreadAnswers: ChannelInboundHandler {
    package typealias InboundIn = NIOAny

    private let limit: TimeAmount
    private var alarm: Scheduled<Void>?

    /// - Parameter limit: How long the write buffer may stay full.
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
