import HTTPServing
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@Suite("Connections on arrival")
struct ConnectionGateTests {
    /// Counts the calls of `accept`.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var reads = 0

        func read(context: ChannelHandlerContext) { reads += 1 }
    }

    private let metrics = ServerMetrics()
    private let socket = Socket()

    private func port(areDescriptorsScarce: @escaping @Sendable () -> Bool = { false }) throws -> EmbeddedChannel {
        let gate = ConnectionGate(
            OpenConnections(ConnectionLimits(total: 2, perAddress: 2)) { _ in false },
            areDescriptorsScarce: areDescriptorsScarce,
            refused: metrics.counter("refused_total", "Refused.", labels: ["reason"]),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return EmbeddedChannel(handlers: [socket, gate])
    }

    private func connect(to port: EmbeddedChannel) throws -> EmbeddedChannel {
        let connection = EmbeddedChannel(loop: port.embeddedEventLoop)
        try connection.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).wait()
        port.pipeline.fireChannelRead(connection as any Channel)
        return connection
    }

    private func refused(_ reason: String) -> Bool {
        metrics.render().contains(#"refused_total{reason="\#(reason)"} 1"#)
    }

    @Test("Connections beyond the limit are closed, until another one ends")
    func limit() throws {
        let port = try port()
        let connections = try (0..<3).map { _ in try connect(to: port) }
        #expect(connections.map(\.isActive) == [true, true, false] && refused("limit"))
        try connections[0].close().wait()
        port.embeddedEventLoop.run()
        #expect(try connect(to: port).isActive)
    }

    @Test("Connections are closed while few file descriptors are free")
    func scarce() throws {
        let areScarce = Atomic(true)
        let port = try port { areScarce.load(ordering: .relaxed) }
        #expect(try !connect(to: port).isActive && refused("descriptors"))
        areScarce.store(false, ordering: .relaxed)
        #expect(try connect(to: port).isActive)
    }

    @Test("Accepting pauses for a quarter of a second when no file descriptor is free")
    func pause() throws {
        let port = try port()
        port.pipeline.fireErrorCaught(IOError(errnoCode: 24, reason: "accept"))
        port.pipeline.read()
        port.embeddedEventLoop.advanceTime(by: .milliseconds(249))
        #expect(socket.reads == 0 && refused("descriptors"))
        port.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(socket.reads == 1)
        port.pipeline.read()
        #expect(socket.reads == 2)
    }
}
