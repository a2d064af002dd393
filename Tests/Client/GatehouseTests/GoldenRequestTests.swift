import Foundation
import Gatehouse
import GatehouseWire
import Synchronization
import Testing

struct GoldenRequest: Sendable, CustomTestStringConvertible {
    let name: String
    /// Method, path and query, then the body.
    let request: String
    /// The app's key, or the user.
    var bearer = "key"
    /// A response that lets the call succeed.
    var answer: AuthJSON = .object([:])
    let call: @Sendable (GatehouseClient) async throws -> Void

    var testDescription: String { name }

    /// True for requests that open or refresh a session or change the account: these carry a proof of the key.
    var isProven: Bool {
        // A sign-out deletes the key first, and must not fail.
        if request.hasPrefix("POST /logout"), !request.contains("scope=others") { return false }
        if bearer == "access" { return !request.hasPrefix("GET ") || request.contains("/user/identities/authorize") }
        let paths = ["/token?", "/signup", "/verify", "/passkeys/authentication/verify", "/passkeys/signup/verify"]
        return paths.contains { request.hasPrefix("POST " + $0) }
    }
}

@Suite("Golden requests")
struct GoldenRequestTests {
    @Test("Every call sends its recorded request", arguments: GoldenRequest.all)
    func request(_ golden: GoldenRequest) async throws {
        let recorder = Recorder(answer: golden.answer)
        try await golden.call(try await recorder.client(isSignedIn: golden.bearer != "key"))
        let call = try #require(recorder.calls.last)
        let address = call.url.absoluteString.dropFirst("https://a.example/auth/v1".count)
        let body = call.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""
        #expect("\(call.method) \(address)\(body)" == golden.request)
        var headers = [
            "accept": "application/json", "apikey": "key", "authorization": "Bearer \(golden.bearer)",
            "x-client-info": "gatehouse-swift/0.3", "x-supabase-api-version": "2024-01-01",
        ]
        if call.body != nil { headers["content-type"] = "application/json" }
        // Another one for each request.
        headers["dpop"] = call.headers["dpop"]
        #expect(call.headers == headers)
        #expect((call.headers["dpop"] != nil) == golden.isProven)
        #expect(recorder.calls.count == (golden.bearer == "key" ? 1 : 2))
    }
}

private final class Recorder: Sendable {
    private let recorded = Mutex<[HTTPCall]>([])
    private let answer: AuthJSON

    init(answer: AuthJSON) { self.answer = answer }

    var calls: [HTTPCall] { recorded.withLock { $0 } }

    func client(isSignedIn: Bool) async throws -> GatehouseClient {
        let clock = ClientClock(
            now: { Date(timeIntervalSince1970: 1_767_225_600) }, uptime: { .zero }, sleep: { _ in })
        let client = try GatehouseClient(
            url: URL(string: "https://a.example/auth/v1")!, publishableKey: "key", storage: MemoryStorage(),
            transport: { [self] call in
                let isFirst = recorded.withLock { calls in
                    calls.append(call)
                    return calls.count == 1
                }
                let json = isFirst && isSignedIn ? GoldenRequest.session : answer
                return HTTPReply(status: 200, body: Array(json.text.utf8))
            }, clock: clock, randomness: { Array(repeating: 7, count: $0) })
        if isSignedIn { try await client.signIn(email: "a@b.c", password: "p") }
        return client
    }
}
