import Foundation
import Gatehouse
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ScreenDriver
import Synchronization
import TestSupport
import Testing

@testable import LiveScreens

/// Over a server in this process, called without a socket. The phones have the server's clock.
@MainActor struct LiveWorld {
    static let origin = TestServer.external
    static let cookie = "gatehouse-phone-9999"
    static let email = "ada@example.com"
    static let password = "correct horse 42 battery"

    let server: TestServer
    let app: LiveApp
    private let responder: any HTTPResponder<ServerContext>

    private init(_ server: TestServer) throws {
        let randomness = TestRandomness()
        let clock = server.clock
        self.server = server
        let app = LiveApp(
            server: Self.origin, publishableKey: "sb_publishable_test", transport: { try await server.carry($0) },
            clock: ClientClock(
                now: { Date(timeIntervalSince1970: TimeInterval(clock.now.seconds)) }, uptime: { clock.uptime },
                sleep: { _ in try await untilCancelled() }), randomBytes: { randomness.bytes($0) })
        self.app = try #require(app)
        let runtime = ServerRuntime(
            now: { clock.now }, uptime: { clock.uptime }, sleep: { _ in try await untilCancelled() },
            makeRequestID: { "made-here" }, metrics: ServerMetrics(), limiter: nil,
            clientAddress: ClientAddressRule(.peer))
        let router = Router(context: ServerContext.self)
        self.app.table(runtime: runtime).add(to: router)
        responder = router.buildResponder()
    }

    /// Runs a test in its own world.
    nonisolated static func with(_ test: @escaping @MainActor (LiveWorld) async throws -> Void) async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let world = try await LiveWorld(server)
            try await test(world)
        }
    }

    /// Has loaded its first data.
    func phone(_ name: String = String(repeating: "a", count: 32)) async throws -> Phone {
        let phone = try app.phones.open(name, .boxScore)
        try await phone.screen.wait(for: "Sign in to follow your teams")
        return phone
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, phone: String? = nil, origin: String? = nil,
        host: String = "127.0.0.1:9999", site: String? = nil, _ json: AuthJSON? = nil
    ) async throws -> LiveAnswer {
        var fields: HTTPFields = [HTTPField.Name("x-supabase-api-version")!: "2024-01-01"]
        fields[.cookie] = phone.map { "other=1; \(Self.cookie)=\($0)" }
        fields[.origin] = origin
        fields[HTTPField.Name("sec-fetch-site")!] = site
        let head = HTTPRequest(
            method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        let bytes = json.map { Array($0.text.utf8) } ?? []
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: bytes)))
        let context = ServerContext(
            peerAddress: "127.0.0.1", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return LiveAnswer(response: try await responder.respond(to: request, context: context))
    }

    /// One action of the phone's user.
    func act(_ phone: Phone, _ kind: String, _ members: [String: String] = [:]) async throws -> LiveAnswer {
        var json = AuthJSONObject(members.mapValues(AuthJSON.string))
        json["kind"] = .string(kind)
        return try await send(
            .post, "/app\(phone.app.path)/actions", phone: phone.name, origin: Self.origin, .object(json))
    }

    func tap(_ phone: Phone, _ name: String) async throws {
        let answer = try await act(phone, "tap", ["id": phone.screen.id(of: name)])
        #expect(answer.status == 200)
    }

    func type(_ phone: Phone, _ text: String, into name: String) async throws {
        let answer = try await act(phone, "type", ["id": phone.screen.id(of: name), "text": text])
        #expect(answer.status == 200)
    }

    /// Creates an account through the screens.
    func signUp(_ phone: Phone) async throws {
        try await tap(phone, "Sign in")
        try await tap(phone, "Create Account")
        try await type(phone, "Ada", into: "Name")
        try await type(phone, Self.email, into: "Email")
        try await type(phone, Self.password, into: "Password")
        try await type(phone, Self.password, into: "Confirm Password")
        try await tap(phone, "submit")
        try await phone.screen.wait(for: "Welcome, Ada")
    }
}

struct LiveAnswer {
    let response: Response
    var status: Int { response.status.code }
    var headers: HTTPFields { response.headers }

    /// - Parameters:
    ///   - events: The reader leaves after this many screens.
    ///   - meanwhile: Runs after the first.
    func text(events: Int? = nil, meanwhile: @escaping @MainActor () -> Void = {}) async throws -> String {
        let body = ReadBody(events: events, meanwhile)
        do { try await response.body.write(body) } catch is ReaderLeft {}
        return body.text
    }
}

private struct ReaderLeft: Error {}

private final class ReadBody: ResponseBodyWriter, Sendable {
    private let read = Mutex<String>("")
    private let events: Int?
    private let meanwhile: @MainActor () -> Void
    var text: String { read.withLock { $0 } }

    init(events: Int?, _ meanwhile: @escaping @MainActor () -> Void) {
        (self.events, self.meanwhile) = (events, meanwhile)
    }

    func write(_ buffer: ByteBuffer) async throws {
        let (before, count) = read.withLock { text in
            let before = Self.screens(in: text)
            text += String(buffer: buffer)
            return (before, Self.screens(in: text))
        }
        if before == 0, count == 1 { await meanwhile() }
        if let events, count >= events { throw ReaderLeft() }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}

    private static func screens(in text: String) -> Int { text.components(separatedBy: "event: screen").count - 1 }
}

extension TestServer {
    /// A client call without a network.
    fileprivate func carry(_ call: HTTPCall) async throws -> HTTPReply {
        var headers = HTTPFields()
        for (name, value) in call.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let query = call.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let answer = try await send(
            call.method == "GET" ? .get : HTTPRequest.Method(rawValue: call.method) ?? .post, call.url.path + query,
            headers: headers, raw: call.body ?? [], authority: "127.0.0.1:9999")
        return HTTPReply(status: answer.status, body: answer.bytes)
    }
}

/// Waits without a clock.
private func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}
