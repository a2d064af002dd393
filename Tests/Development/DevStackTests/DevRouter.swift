import DevStack
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import JSONWebTokens
import Logging
import NIOCore
import Synchronization
import TestDatabases

/// Called without a socket, with a manual clock.
struct DevRouter: Sendable {
    static let external = "http://127.0.0.1:9999"
    static let callback = "http://127.0.0.1:9999/auth/v1/callback"

    private let clock = TestClock()
    /// The posted bodies and their addresses.
    let posted = Kept<(url: String, json: AuthJSON)>()
    /// The durations of all sleeps.
    let waits = Kept<Duration>()
    let standIns: StandIns
    private let responder: any HTTPResponder<ServerContext>

    var now: Instant { clock.now }
    func advance(by duration: Duration) { clock.advance(by: duration) }

    var apple: StandInRegistration.Apple { standIns.registration.apple }
    var google: StandInRegistration.Google { standIns.registration.google }

    /// - Parameter postStatus: The server's response to notifications; nil for none.
    init(
        postStatus: Int? = 200, inbox: Inbox? = nil, textHook: InboxTextHook? = nil, api: APIPage? = nil,
        change: (inout StandInSettings) -> Void = { _ in },
        makeKey: @escaping @Sendable () throws -> JSONWebKey = { JSONWebKey.newES256() }
    ) throws {
        let (clock, posted, waits, randomness) = (clock, posted, waits, TestRandomness())
        var settings = StandInSettings(external: Self.external)
        settings.notificationEndpoint = "http://127.0.0.1:9999/apple/notifications"
        change(&settings)
        standIns = try StandIns.make(
            settings,
            in: StandInWorld(
                now: { clock.now }, randomBytes: { randomness.bytes($0) }, makeKey: makeKey,
                wait: { waits.keep($0) },
                post: { url, json in
                    posted.keep((url, try JSONReader.read(json)))
                    guard let postStatus else { throw NobodyAnswers() }
                    return postStatus
                }))
        let runtime = ServerRuntime(
            now: { clock.now }, uptime: { clock.uptime }, sleep: { _ in try await untilCancelled() },
            makeRequestID: { "made-here" }, metrics: ServerMetrics(), limiter: nil,
            clientAddress: ClientAddressRule(.peer))
        let router = Router(context: ServerContext.self)
        let tables =
            standIns.tables(runtime: runtime)
            + (inbox.map { [$0.table(runtime: runtime, external: Self.external, textHook: textHook)] } ?? [])
            + (api.map { [$0.table(runtime: runtime)] } ?? [])
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        responder = router.buildResponder()
    }

    private struct NobodyAnswers: Error {}

    func send(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: String = ""
    ) async throws -> DevAnswer {
        let head = HTTPRequest(method: method, scheme: "http", authority: "test", path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let context = ServerContext(
            peerAddress: "127.0.0.1", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await responder.respond(to: request, context: context)
        let collected = CollectedBody()
        try await response.body.write(collected)
        return DevAnswer(status: response.status.code, headers: response.headers, text: collected.bytes.keptText)
    }

    func get(_ path: String, _ query: [String: String] = [:], headers: HTTPFields = [:]) async throws -> DevAnswer {
        try await send(.get, query.isEmpty ? path : path + "?" + Self.form(query), headers: headers)
    }

    /// Posts a form.
    func post(
        _ path: String, query: [String: String] = [:], _ form: [String: String], headers: HTTPFields = [:]
    ) async throws -> DevAnswer {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        for header in headers { fields[header.name] = header.value }
        let path = query.isEmpty ? path : path + "?" + Self.form(query)
        return try await send(.post, path, headers: fields, body: Self.form(form))
    }

    /// Presses a button of the page.
    func post(_ path: String, json: AuthJSON, headers: HTTPFields = [:]) async throws -> DevAnswer {
        try await send(.post, path, headers: headers, body: json.text)
    }

    /// The published keys of a stand-in.
    func keys(_ path: String) async throws -> KeySet {
        try KeySet(published: Array(try await get(path).text.utf8))
    }

    /// Verified with the stand-in's published keys.
    func claims(of token: String?, _ path: String) async throws -> AuthJSONObject {
        try await keys(path).verify(token ?? "", at: now).claims.members
    }

    static func form(_ fields: [String: String]) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-_.~")
        return fields.sorted { $0.key < $1.key }.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
        }.joined(separator: "&")
    }
}

struct DevAnswer: Sendable, CustomStringConvertible {
    let status: Int
    let headers: HTTPFields
    let text: String

    var json: AuthJSON {
        do { return try JSONReader.read(text) } catch { return .null }
    }
    subscript(name: String) -> String? { json[name]?.stringValue }
    var error: String? { self["error"] }
    var location: String? { headers[.location] }
    var description: String { "\(status) \(text.prefix(400))" }

    /// The redirect's query or fragment.
    var callback: [String: String] {
        let query = location?.split(separator: location?.contains("#") == true ? "#" : "?", maxSplits: 1).last ?? ""
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.map { pair in
                let value = pair.count > 1 ? pair[1].replacing("+", with: " ") : ""
                return (String(pair[0]), value.removingPercentEncoding ?? "")
            }
        ) { _, last in last }
    }

    var hiddenFields: [String: String] {
        let pattern = /<input type="hidden" name="([^"]*)" value="([^"]*)">/
        return Dictionary(
            text.matches(of: pattern).map { (Self.unescaped($0.1), Self.unescaped($0.2)) }
        ) { _, last in last }
    }

    static func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            // A combining mark after an entity is not part of it.
            .reduce(Array(text.unicodeScalars)) {
                $0.replacing(Array($1.0.unicodeScalars), with: Array($1.1.unicodeScalars))
            }.reduce(into: "") { $0.unicodeScalars.append($1) }
    }
}

/// Records the arguments of a closure.
final class Kept<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    func keep(_ value: Value) { values.withLock { $0.append(value) } }
    var all: [Value] { values.withLock { $0 } }
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    let bytes = Kept<[UInt8]>()
    func write(_ buffer: ByteBuffer) async throws { bytes.keep(Array(buffer.readableBytesView)) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension Kept<[UInt8]> {
    fileprivate var keptText: String { String(decoding: all.joined(), as: UTF8.self) }
}

private func untilCancelled() async throws {
    for await _ in AsyncStream<Never>.makeStream().stream {}
    try Task.checkCancellation()
}
