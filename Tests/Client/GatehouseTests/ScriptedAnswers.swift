import Foundation
import Gatehouse
import GatehouseWire

/// In the order of a script, the last one repeatedly. Records the requests.
final class ScriptedAnswers: Sendable {
    private struct State {
        var replies: [HTTPReply]
        var calls: [HTTPCall] = []
        var secrets: UInt8 = 0
        var interruption: (@Sendable () async throws -> Void)?
    }

    private let state: Locked<State>
    let storage: any SecureStorage

    init(_ replies: [HTTPReply], storage: any SecureStorage = MemoryStorage()) {
        state = Locked(State(replies: replies))
        self.storage = storage
    }

    static func json(_ json: AuthJSON, status: Int = 200) -> HTTPReply {
        HTTPReply(status: status, body: Array(json.text.utf8))
    }

    static func refusal(_ status: Int, _ code: String) -> HTTPReply {
        json(["code": .string(code), "message": "no"], status: status)
    }

    static let session = json(GoldenRequest.session)
    /// The members of the API's 422.
    static let question = json(
        [
            "code": "identity_needs_confirmation", "message": "An account with this address exists",
            "link_ticket": "ticket", "link_ticket_expires_at": 1_767_226_200, "email": "ada@example.com",
            "provider": "google", "sign_in_methods": ["password", "apple"], "can_recover": true,
        ], status: 422)

    /// Runs during the next response.
    func meanwhile(_ interruption: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.interruption = interruption }
    }

    /// `METHOD path body` of each call.
    var requests: [String] {
        state.withLock { $0.calls }.map { call in
            let path = call.url.absoluteString.dropFirst("https://a.example/auth/v1".count)
            return "\(call.method) \(path)" + (call.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    /// The tokens of the calls, without `Bearer`.
    var bearers: [String] {
        state.withLock { $0.calls }.map { String($0.headers["authorization"]?.dropFirst("Bearer ".count) ?? "") }
    }

    var pendingVerifiers: Int {
        get async {
            guard case .value(let bytes) = await storage.read("gatehouse.pkce-flows") else { return 0 }
            // Ignored: unreadable JSON has no flows.
            return (try? JSONReader.read(bytes))?.arrayValue?.count ?? 0
        }
    }

    func client() throws -> GatehouseClient {
        try GatehouseClient(
            url: URL(string: "https://a.example/auth/v1")!, publishableKey: "key", storage: storage,
            transport: { [state] call in
                let (reply, interruption) = state.withLock { state in
                    defer { state.interruption = nil }
                    state.calls.append(call)
                    let reply = state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
                    return (reply, state.interruption)
                }
                try await interruption?()
                return reply
            }, clock: HandClock().clock,
            randomness: { [state] count in
                let number = state.withLock { state in
                    state.secrets += 1
                    return state.secrets
                }
                return Array(repeating: number, count: count)
            })
    }

    /// The sign-in took the first reply.
    func signedIn() async throws -> GatehouseClient {
        let client = try client()
        try await client.signIn(email: "a@b.c", password: "p")
        return client
    }
}
