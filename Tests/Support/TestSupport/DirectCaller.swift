package import GatehouseServer
package import GatehouseWire
import HTTPServing
package import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Calls a server's routes without a socket.
package struct DirectCaller: Sendable {
    private let responder: RouterResponder<ServerContext>

    package init(_ server: Server) { responder = server.router.buildResponder() }

    package init(_ server: PagesServer) { responder = server.router.buildResponder() }

    /// - Parameter authority: The name by which the server was called.
    package func send(
        _ method: HTTPRequest.Method, _ path: String, bearer: String? = nil, headers: HTTPFields = [:],
        json: AuthJSON? = nil, raw: [UInt8]? = nil, peer: String = "192.0.2.1", authority: String = "test"
    ) async throws -> TestAnswer {
        var fields: HTTPFields = [HTTPField.Name("x-supabase-api-version")!: "2024-01-01"]
        if let bearer { fields[.authorization] = "Bearer \(bearer)" }
        // Cookies are a field each.
        for field in headers { fields[field.name] = nil }
        fields.append(contentsOf: headers)
        let bytes = raw ?? json.map { Array($0.text.utf8) } ?? []
        let head = HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: fields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let context = ServerContext(peerAddress: peer, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await responder.respond(to: request, context: context)
        let body = CollectedBody()
        try await response.body.write(body)
        return TestAnswer(status: response.status.code, headers: response.headers, bytes: body.bytes)
    }

    /// For another server's call to ``TestServer/external``.
    package func answer(to call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
        var headers: HTTPFields = [:]
        for (name, value) in call.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let answer = try await send(
            HTTPRequest.Method(rawValue: call.method) ?? .get, call.url.replacing(TestServer.external, with: ""),
            headers: headers, raw: call.body)
        return OutgoingHTTP.Answer(status: answer.status, body: answer.bytes)
    }
}

/// A server's response.
package struct TestAnswer: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let bytes: [UInt8]

    package init(status: Int, headers: HTTPFields, bytes: [UInt8]) {
        (self.status, self.headers, self.bytes) = (status, headers, bytes)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The body as JSON; null without one.
    package var json: AuthJSON {
        do { return try JSONReader.read(bytes) } catch { return .null }
    }
    /// The Auth API's `code`, or the gateway's `error`.
    package var code: String? { json["code"]?.stringValue ?? json["error"]?.stringValue }
    package subscript(name: String) -> AuthJSON? { json[name] }
}

extension TestAnswer: CustomStringConvertible {
    package var description: String { "\(status) \(text)" }
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let collected = Mutex<[UInt8]>([])
    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { collected.withLock { $0 += buffer.readableBytesView } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
