import GatehouseWire
package import HummingbirdCore
import Logging
package import NIOCore
import NIOHTTP1

/// Removes every `Host` from a request that has more than one, or no valid one, so that it is refused with 400 (RFC
/// 9112 §3.2). HTTP/1.0 does not have the header; a request without it gets an empty one.
///
/// Runs before Hummingbird reads the head, which keeps only the first `Host` and drops the version.
final class HostRule: ChannelInboundHandler, Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers.lazy.filter { $0.name.utf8.count == 4 && $0.name.lowercased() == "host" }
        var (count, isValid) = (0, true)
        for host in hosts {
            count += 1
            isValid = isValid && host.value.utf8.allSatisfy(Self.isOfHost)
        }
        if count == 1, isValid { return context.fireChannelRead(data) }
        head.headers.remove(name: "host")
        if count == 0, (head.version.major, head.version.minor) < (1, 1) { head.headers.add(name: "host", value: "") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The characters of `uri-host [ ":" port ]` (RFC 9110 §7.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "%!$&'()*+,;=:[]".utf8.contains(byte)
    }
}

/// Hummingbird's HTTP/1.1 channel behind ``HostRule`` and ``UnreadAnswers``.
private struct StrictHTTP1: ServerChildChannel {
    let http: HTTP1Channel
    let idleTimeout: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(HostRule(), position: .after(decoder))
            try pipeline.addHandler(UnreadAnswers(limit: idleTimeout), position: .first)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// - Parameter idleTimeout: How long a connection may have no request, or a full write buffer, before it is closed.
    package static func strictHTTP1(idleTimeout: TimeAmount) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            StrictHTTP1(
                http: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: idleTimeout)),
                idleTimeout: idleTimeout)
        }
    }
}
