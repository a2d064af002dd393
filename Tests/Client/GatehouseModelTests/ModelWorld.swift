import AuthServer
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport

/// There was no response.
struct ConnectionLost: Error {}

enum People {
    static let someID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
}

/// Calls both APIs of a server in this process, with faults by path.
final class TestNetwork: Sendable {
    private let faults = Mutex<[String: Int]>([:])
    private let served = Mutex<[String]>([])
    private let gates = Mutex<(prefix: String?, held: [CheckedContinuation<Void, Never>])>((nil, []))
    let server: TestServer

    init(_ server: TestServer) { self.server = server }

    /// In the gateway's error format; 0 loses the calls before the server.
    func fail(_ path: String, _ status: Int = 0) { faults.withLock { $0[path] = status } }
    func clear() { faults.withLock { $0 = [:] } }
    /// `METHOD path` of every call.
    var calls: [String] { served.withLock { $0 } }
    /// Until ``release()``, by the path's beginning.
    func hold(_ prefix: String = "/v1/") { gates.withLock { $0.prefix = prefix } }
    var heldCount: Int { gates.withLock { $0.held.count } }

    func release() {
        let held = gates.withLock { gates in
            defer { gates = (nil, []) }
            return gates.held
        }
        for waiting in held { waiting.resume() }
    }

    func send(_ call: HTTPCall) async throws -> HTTPReply {
        let path = call.url.path
        served.withLock { $0.append("\(call.method) \(path)") }
        if let status = faults.withLock({ $0.first { path.hasSuffix($0.key) }?.value }) {
            if status == 0 { throw ConnectionLost() }
            return HTTPReply(status: status, body: Array(#"{"error":"FAULT","message":"A fault of the test."}"#.utf8))
        }
        var headers = HTTPFields()
        for (name, value) in call.headers { headers[HTTPField.Name(name)!] = value }
        let query = call.url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let answer = try await server.send(
            HTTPRequest.Method(call.method)!, path + query, headers: headers, raw: call.body ?? [])
        await waitIfHeld(path)
        var kept: [String: String] = [:]
        for name in ["x-gatehouse-session-end", "x-request-id"] { kept[name] = answer.headers[HTTPField.Name(name)!] }
        return HTTPReply(status: answer.status, headers: kept, body: answer.bytes)
    }

    private func waitIfHeld(_ path: String) async {
        guard gates.withLock({ $0.prefix.map(path.hasPrefix) ?? false }) else { return }
        await withCheckedContinuation { continuation in
            let isHeld = gates.withLock { gates in
                if gates.prefix != nil { gates.held.append(continuation) }
                return gates.prefix != nil
            }
            if !isHeld { continuation.resume() }
        }
    }
}

/// Records every event.
final class HeardEvents: TelemetrySink {
    private let heard = Mutex<[TelemetryEvent]>([])
    var events: [TelemetryEvent] { heard.withLock { $0 } }
    func record(_ event: TelemetryEvent) { heard.withLock { $0.append(event) } }
}

@MainActor
struct ModelWorld {
    let server: TestServer
    let network: TestNetwork
    let storage = MemoryStorage()
    let client: GatehouseClient
    let events = HeardEvents()
    let manager: AuthManager

    init(
        _ server: TestServer, allowsSeveralAccounts: Bool = false,
        wrap: (LiveAuthService) -> any AuthService = { $0 }
    ) throws {
        self.server = server
        network = TestNetwork(server)
        client = try Self.client(network, storage, 1, allowsSeveralAccounts)
        manager = AuthManager(
            service: wrap(LiveAuthService(client: client, gateway: try Self.gateway(client, network))),
            storage: storage, clock: Self.clock(server), telemetry: [events])
    }

    /// On the same store; the session is restored when this returns.
    func restart() async throws -> AuthManager {
        let next = try Self.client(network, storage, 2, client.allowsSeveralAccounts)
        let manager = AuthManager(
            service: LiveAuthService(client: next, gateway: try Self.gateway(next, network)),
            storage: storage, clock: Self.clock(server))
        await until { manager.phase != .restoring }
        return manager
    }

    static func clock(_ server: TestServer) -> ClientClock {
        let clock = server.clock
        return ClientClock(
            now: { Date(wire: "\(clock.now)")! }, uptime: { clock.uptime },
            sleep: { duration in
                try Task.checkCancellation()
                // A time limit, which no test lets expire.
                if duration >= .seconds(20) {
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw CancellationError()
                }
                clock.advance(by: duration)
            })
    }

    private static func gateway(_ client: GatehouseClient, _ network: TestNetwork) throws -> GatewayClient {
        var rules = GatewayRules()
        rules.isOffline = { $0 is ConnectionLost }
        return try GatewayClient(
            url: URL(string: "http://127.0.0.1:9999")!, tokens: GatewayTokens(client),
            transport: { try await network.send($0) }, clock: clock(network.server), randomness: { _ in [0] },
            rules: rules)
    }

    private static func client(
        _ network: TestNetwork, _ storage: MemoryStorage, _ process: UInt8, _ allowsSeveralAccounts: Bool
    ) throws -> GatehouseClient {
        let randomness = TestRandomness()
        var options = GatehouseClient.Options()
        options.allowsSeveralAccounts = allowsSeveralAccounts
        return try GatehouseClient(
            url: URL(string: TestServer.issuer)!, publishableKey: "sb_publishable_test", storage: storage,
            transport: { try await network.send($0) }, clock: clock(network.server),
            randomness: { count in randomness.bytes(count).map { $0 ^ process } }, options: options)
    }

    func signUp(_ email: String = "ada@example.com", name: String? = "Ada") async throws {
        await until { manager.phase == .unauthenticated }
        try await manager.signUpWithEmail(email, password: TestServer.password, firstName: name)
        await until { !manager.isLoading }
    }

    static func with(
        providers: TestProviders? = nil, change: @escaping @Sendable (inout AuthSettings) -> Void = { _ in },
        allowsSeveralAccounts: Bool = false, wrap: (LiveAuthService) -> any AuthService = { $0 },
        _ test: (ModelWorld) async throws -> Void
    ) async throws {
        let server = try await TestServer(providers: providers, change: change)
        do {
            try await test(try ModelWorld(server, allowsSeveralAccounts: allowsSeveralAccounts, wrap: wrap))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}

/// Waits for an effect of another task.
@MainActor
func until(_ condition: () async -> Bool) async { while await !condition() { await Task.yield() } }

/// Fails every change with the same error.
struct GatewayThatFails: ProfileSource {
    let me: SignedInAccount
    let failure: AuthClientError
    func fetchMe() async throws -> SignedInAccount { me }
    func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount { throw failure }
    func deleteAccount() async throws { throw failure }
}

extension AuthError {
    /// Whether this is `networkError`, whatever its cause.
    var isNetworkError: Bool { if case .networkError = self { true } else { false } }
}
