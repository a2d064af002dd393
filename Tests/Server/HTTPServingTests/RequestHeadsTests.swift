import HTTPServing
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@Suite("Heads of requests")
struct RequestHeadsTests {
    /// As a connection's pipeline reads them, with our codec or that of swift-nio-extras.
    private func heads(
        _ text: String, by codec: any ChannelHandler = RequestHeads()
    ) throws -> [HTTPRequest] {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(HTTPRequestDecoder()), codec)
        try channel.writeInbound(ByteBuffer(string: text))
        var heads: [HTTPRequest] = []
        while let part: HTTPRequestPart = try channel.readInbound() {
            if case .head(let head) = part { heads.append(head) }
        }
        return heads
    }

    private static let long = String(repeating: "a", count: 1_000)

    @Test(
        "Targets and headers are read as swift-nio-extras reads them",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a.example\r\n", "GET //b?c#d HTTP/1.1\r\nHost: a.example:80\r\n",
            "GET http://b.example/c?d=e HTTP/1.1\r\nHost: a.example\r\n",
            "GET http://b.example HTTP/1.1\r\nHost: a.example\r\n", "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n",
            "PROPFIND /%2F HTTP/1.1\r\nhOST: a.example\r\nX: 1\r\nx: 2\r\nCookie: a=b; c=d\r\n",
            "GET / HTTP/1.0\r\nConnection: keep-alive\r\nHost: a.example\r\nAuthorization:Bearer \(long)\r\n",
            "GET / HTTP/1.1\r\nHost: a.example\r\nUser-Agent: \t \(long) \(long) \t \r\nAccept: \r\nX:  y \r\n",
            "GET / HTTP/1.1\r\nUser-Agent: \u{E4}\(long)\r\nHost: a.example\r\n",
        ])
    func same(_ lines: String) throws {
        let ours = try heads(lines + "\r\n")
        #expect(ours.count == 1)
        #expect(try ours == heads(lines + "\r\n", by: HTTP1ToHTTPServerCodec(secure: false)))
    }

    @Test(
        "A request without one valid Host has no authority",
        arguments: [
            ("HTTP/1.1\r\n", nil), ("HTTP/1.1\r\nHost: a\r\nhost: a\r\n", nil), ("HTTP/1.1\r\nHost: a/b\r\n", nil),
            ("HTTP/1.0\r\n", ""), ("HTTP/1.0\r\nHost: a\r\nHost: a\r\n", nil), ("HTTP/1.1\r\nHost:\r\n", ""),
            ("HTTP/1.1\r\nHost: [::1]:80\r\n", "[::1]:80"),
        ] as [(String, String?)])
    func authority(_ lines: String, _ expected: String?) throws {
        let heads = try heads("GET / \(lines)\r\n")
        #expect(heads.map(\.authority) == [expected])
        #expect(heads.first?.headerFields.contains { $0.name != .connection } == false)
    }

    @Test("A control character in a long value is refused", arguments: Array(0..<9) + Array(10..<32) + [127])
    func control(_ code: Int) throws {
        let character = Character(UnicodeScalar(UInt8(code)))
        #expect(throws: (any Error).self) {
            try heads("GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: \(Self.long)\(character)\(Self.long)\r\n\r\n")
        }
    }

    @Test("Responses are written as swift-nio-extras writes them")
    func response() throws {
        func written(by codec: any ChannelHandler) throws -> String {
            let channel = EmbeddedChannel()
            try channel.pipeline.syncOperations.addHandlers(HTTPResponseEncoder(), codec)
            let head = HTTPResponse(status: .created, headerFields: [.contentType: "text/plain", .contentLength: "2"])
            for part in [HTTPResponsePart.head(head), .body(ByteBuffer(string: "ok")), .end(nil)] {
                try channel.writeOutbound(part)
            }
            var text = ""
            while let bytes: ByteBuffer = try channel.readOutbound() { text += String(buffer: bytes) }
            return text
        }
        let ours = try written(by: RequestHeads())
        #expect(ours.hasPrefix("HTTP/1.1 201 Created\r\n") && ours.hasSuffix("\r\n\r\nok"))
        #expect(try ours == written(by: HTTP1ToHTTPServerCodec(secure: false)))
    }

    @Test(
        "The Connection header closes a connection in any case and in lists",
        arguments: [
            ("1.1", "", false), ("1.1", "Connection: keep-alive", false), ("1.1", "Connection: TE", false),
            ("1.1", "Connection: close", true), ("1.1", "Connection: Close", true), ("1.1", "cOnnection: CLOSE", true),
            ("1.1", "Connection: close, TE", true), ("1.1", "Connection: TE , Close", true),
            ("1.1", "Connection: TE\r\nConnection: close", true), ("1.1", "Connection: close\r\nConnection: TE", true),
            ("1.0", "", true), ("1.0", "Connection: TE", true), ("1.0", "Connection: Keep-Alive", false),
        ])
    func persistence(_ version: String, _ lines: String, _ isLast: Bool) throws {
        let lines = lines.isEmpty ? "" : lines + "\r\n"
        let head = try #require(try heads("GET / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n").first)
        #expect((head.headerFields[.connection] == "close") == isLast)
    }
}
