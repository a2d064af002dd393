import HTTPServing
import NIOCore
import NIOEmbedded
import Testing

@Suite("Unread responses")
struct UnreadAnswersTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: UnreadAnswers(limit: .seconds(60)))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        return channel
    }

    private func set(_ channel: EmbeddedChannel, isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test("A connection whose buffers stay full is closed, and no other")
    func stalled() throws {
        let channel = try channel()
        set(channel, isWritable: false)
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A connection that is read stays open")
    func slow() throws {
        let channel = try channel()
        for _ in 0..<3 {
            set(channel, isWritable: false)
            channel.embeddedEventLoop.advanceTime(by: .seconds(59))
            set(channel, isWritable: true)
            channel.embeddedEventLoop.advanceTime(by: .seconds(600))
        }
        #expect(channel.isActive)
        _ = try channel.finish()
    }
}
