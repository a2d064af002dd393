import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport

/// Between an app and both APIs of a server in this process. Faults apply by the end of a path.
final class Network: Sendable {
    /// The fate of a call.
    private enum Fault: Sendable {
        /// Never reaches the server.
        case answered(HTTPReply)
        /// The server acts, but its response is lost.
        case lost
    }

    private struct State {
        var isOffline = false
        /// By the end of a path: fault and remaining times.
        var faults: [String: (fault: Fault, times: Int)] = [:]
        var calls: [HTTPCall] = []
        var openCount = 0
        var heldPath: String?
        var held: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())
    private let server: TestServer

    init(_ server: TestServer) { self.server = server }

    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// Without a body, the response has the gateway's error format.
    func answer(_ path: String, _ status: Int, _ body: String? = nil, times: Int = .max) {
        let body = body ?? #"{"error":"FAULT","message":"A fault of the test."}"#
        let reply = HTTPReply(status: status, body: Array(body.utf8))
        state.withLock { $0.faults[path] = (.answered(reply), times) }
    }

    /// The server acts, but its response is lost.
    func lose(_ path: String, times: Int = .max) { state.withLock { $0.faults[path] = (.lost, times) } }

    /// Removes all faults.
    func heal() { state.withLock { ($0.faults, $0.isOffline) = ([:], false) } }

    /// Until ``release()``.
    func hold(_ path: String) { state.withLock { $0.heldPath = path } }

    /// The number of held responses.
    var heldCount: Int { state.withLock { $0.held.count } }

    func release() {
        let held = state.withLock { state in
            defer { (state.held, state.heldPath) = ([], nil) }
            return state.held
        }
        for waiting in held { waiting.finish() }
    }

    /// Including calls that never reached the server.
    var calls: [HTTPCall] { state.withLock { $0.calls } }

    /// The number of calls without a response.
    var openCount: Int { state.withLock { $0.openCount } }

    /// Matches the beginning of `METHOD path?query`.
    func count(_ call: String) -> Int { calls.count { $0.line.hasPrefix(call) } }

    var transport: HTTPTransport { { [self] call in try await send(call) } }

    private func send(_ call: HTTPCall) async throws -> HTTPReply {
        let (isOffline, fault) = state.withLock { state in
            state.calls.append(call)
            state.openCount += 1
            return (state.isOffline, state.isOffline ? nil : Self.fault(of: call, &state))
        }
        defer { state.withLock { $0.openCount -= 1 } }
        if isOffline { throw URLError(.notConnectedToInternet) }
        if case .answered(let reply) = fault { return reply }
        let reply = try await deliver(call)
        try await waitIfHeld(call)
        if case .lost = fault { throw URLError(.networkConnectionLost) }
        return reply
    }

    private static func fault(of call: HTTPCall, _ state: inout State) -> Fault? {
        guard let (path, found) = state.faults.first(where: { call.url.path.hasSuffix($0.key) }), found.times > 0 else {
            return nil
        }
        state.faults[path] = (found.fault, found.times - 1)
        return found.fault
    }

    private func deliver(_ call: HTTPCall) async throws -> HTTPReply {
        guard let method = HTTPRequest.Method(call.method) else { throw URLError(.badURL) }
        var headers = HTTPFields()
        for (name, value) in call.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let query = call.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let answer = try await server.send(method, call.url.path + query, headers: headers, raw: call.body ?? [])
        var named: [String: String] = [:]
        for field in answer.headers { named[field.name.rawName] = field.value }
        return HTTPReply(status: answer.status, headers: named, body: answer.bytes)
    }

    private func waitIfHeld(_ call: HTTPCall) async throws {
        let gate: AsyncStream<Never>? = state.withLock { state in
            guard let path = state.heldPath, call.url.path.hasSuffix(path) else { return nil }
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            state.held.append(continuation)
            return stream
        }
        guard let gate else { return }
        for await _ in gate {}
        try Task.checkCancellation()
    }
}

extension HTTPCall {
    /// `METHOD path?query`.
    var line: String { "\(method) \(url.path)" + (url.query.map { "?" + $0 } ?? "") }

    /// The body; null without one.
    var json: AuthJSON {
        do { return try JSONReader.read(body ?? []) } catch { return .null }
    }
}
