import GatehouseWire
import HTTPTypes
package import HummingbirdCore
import Logging
package import NIOCore
package import NIOHTTP1
package import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Handles `Connection` (RFC 9112 §9.3) and `Expect: 100-continue` (RFC 9110 §10.1.1).
///
/// Replaces swift-nio-extras' `HTTP1ToHTTPServerCodec`, which checks tokens byte by byte, parses each path as a URL,
/// and keeps the first of several `Host` headers.
package final class RequestHeads: ChannelDuplexHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// Sent by a handler before it reads the request's body.
    package struct BodyWanted: Sendable {
        package init() {}
    }

    /// Clients may send several requests ahead.
    private var unanswered = 0
    /// The newest request's client awaits `100 Continue`.
    private var isWaiting = false
    /// `Connection` for the newest request's response.
    private var persistence: String?

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            do {
                let request = try HTTPRequest(head)
                unanswered += 1
                isWaiting = head.expectsContinue
                persistence = head.isKeepAlive ? head.isBefore1Point1 ? "keep-alive" : nil : "close"
                context.fireChannelRead(wrapInboundOut(.head(request)))
            } catch {
                context.fireErrorCaught(error)
            }
        case .body(let bytes):
            isWaiting = false
            context.fireChannelRead(wrapInboundOut(.body(bytes)))
        case .end(let trailers):
            isWaiting = false
            let fields = trailers.map { HTTPFields($0, splitCookie: false) }
            context.fireChannelRead(wrapInboundOut(.end(fields)))
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part: HTTPServerResponsePart
        switch unwrapOutboundIn(data) {
        case .head(let response):
            var head = HTTPResponseHead(response)
            // A request answered without its body may or may not be followed by it.
            if unanswered == 1, let value = isWaiting ? "close" : persistence {
                head.headers.replaceOrAdd(name: "Connection", value: value)
            }
            if unanswered == 1 { isWaiting = false }
            part = .head(head)
        case .body(let bytes): part = .body(.byteBuffer(bytes))
        case .end(let trailers):
            unanswered -= 1
            part = .end(trailers.map { HTTPHeaders($0) })
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    package func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // With an earlier request unanswered, the event is that request's.
        if isWaiting, unanswered == 1 {
            isWaiting = false
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        promise?.succeed()
    }
}

extension HTTPRequestHead {
    fileprivate var isBefore1Point1: Bool { (version.major, version.minor) < (1, 1) }

    /// HTTP/1.0 clients do not wait, whatever they send (RFC 9110 §10.1.1).
    fileprivate var expectsContinue: Bool {
        guard method != .GET, !isBefore1Point1 else { return false }
        return headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}

extension HTTPRequest {
    /// Several `Host` fields or an invalid one give no authority, and so status 400 (RFC 9112 §3.2). HTTP/1.0 may omit
    /// the field.
    ///
    /// - Throws: For a method that is not a token.
    init(_ head: HTTPRequestHead) throws {
        var (fields, host, hosts) = (HTTPFields(), "", 0)
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            if name == .host {
                (host, hosts) = (value, hosts + 1)
            } else {
                fields.append(HTTPField(name, received: value))
            }
        }
        // Hummingbird closes the connection for exactly this value.
        if !head.isKeepAlive { fields[.connection] = "close" }
        let isRight = hosts == 0 ? head.isBefore1Point1 : hosts == 1 && host.utf8.allSatisfy(Self.isOfHost)
        self.init(
            method: try Method(head.method), scheme: "http", authority: isRight ? host : nil,
            path: try Self.path(of: head), headerFields: fields)
    }

    /// Without the scheme and host of a proxy's form (RFC 9112 §3.2.2).
    private static func path(of head: HTTPRequestHead) throws -> String? {
        if head.uri.utf8.first == UInt8(ascii: "/") { return head.uri }
        let target = HTTPRequestHead(version: head.version, method: head.method, uri: head.uri)
        return try HTTPRequest(target, secure: false, splitCookie: false).path
    }

    /// `uri-host [ ":" port ]` (RFC 9110 §7.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "%!$&'()*+,;=:[]".utf8.contains(byte)
    }
}

extension HTTPField.Name {
    // The name is a token.
    fileprivate static let host = Self("Host")!
}

extension HTTPField {
    /// NIO's parser has refused control characters and leading spaces, so only a trailing space needs swift-http-types'
    /// slower check.
    fileprivate init(_ name: Name, received value: String) {
        let (bytes, space, tab) = (value.utf8, UInt8(ascii: " "), UInt8(ascii: "\t"))
        guard bytes.count > 64, bytes.last != space, bytes.last != tab else {
            self.init(name: name, value: value)
            return
        }
        self.init(name: name, lenientValue: bytes)
    }
}

/// Hummingbird's HTTP/1.1 channel with ``RequestHeads``, behind ``UnreadAnswers``.
private struct StrictHTTP1: ServerChildChannel {
    let http: HTTP1Channel
    let idleTimeout: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(UnreadAnswers(limit: idleTimeout), position: .first)
            // No pipelining: the channel reads one request at a time. No validation: the types allow only valid names
            // and values.
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
                withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
            try pipeline.addHandler(RequestHeads())
            try pipeline.addHandler(
                HTTPConnectionStateHandler(idleTimeout: Duration(idleTimeout), logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    private var limits: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = http.configuration.httpDecoder.maxHeaderFieldSize
        limits.maxHeaderListSize = http.configuration.httpDecoder.maxHeaderListSize
        limits.maxHeaderFieldCount = http.configuration.httpDecoder.maxHeaderFieldCount
        return limits
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// - Parameter idleTimeout: Closes a connection after this time without a request, or with a full write buffer.
    package static func strictHTTP1(idleTimeout: TimeAmount) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            StrictHTTP1(http: HTTP1Channel(responder: responder), idleTimeout: idleTimeout)
        }
    }
}
